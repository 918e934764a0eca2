#include "agent/core/space/space_at_end.h"

#include <algorithm>
#include <memory>

#include "agent/core/ends/end_timeouts.h"
#include "agent/core/space/full_volume.h"
#include "agent/core/space/reserve.h"
#include "agent/core/space/room_aside.h"

namespace reprise::agent {
namespace {

// Measures of the volume at the end.
struct Measured {
  std::optional<FreeSpace> free;
  std::int64_t broken_size = 0;
};

Measured measure(Session& session, const std::optional<std::string>& broke_off) {
  auto measured = std::make_shared<Measured>();
  const bool ended =
      session.bounded(last_look_timeout(session.time_left()), [volume = session.volume, broke_off, measured] {
        Measured found{.free = volume->files.free_space(volume->layout.root)};
        if (found.free && broke_off) found.broken_size = volume->files.size_of(volume->layout.root / *broke_off);
        *measured = found;
      });
  return ended ? *measured : Measured{};
}

// Measures what was put aside. The record leaves it out where that takes longer than there is time for.
void measure_aside(Session& session, protocol::ReportedRoom& room) {
  auto measured = std::make_shared<RoomAside>();
  if (session.bounded(record_timeout(session.time_left()),
                      [volume = session.volume, measured] { *measured = room_aside(*volume); }))
    tell(*measured, room);
}

std::string in_words(const protocol::ReportedRoom& room) {
  const std::string aside = in_words(
      RoomAside{.torn = room.torn_bytes, .quarantine = room.quarantine_bytes, .unproven = room.unproven_bytes});
  return "the volume has no room for a save: " + std::to_string(room.free_bytes) + " bytes are free" +
         (room.save_bytes ? ", and the last one took " + std::to_string(*room.save_bytes) : std::string()) +
         (aside.empty() ? "" : "; " + aside);
}

}  // namespace

void look_for_room(Session& session, const CheckpointWatch::Seen& seen, const SaveTrail& trail, const FailedEnd& end,
                   Record& record) {
  const auto broke_off = trail.broke_off();
  const Measured measured = measure(session, broke_off);
  protocol::ReportedRoom room = seen.room.value_or(protocol::ReportedRoom{});
  if (!room.save_bytes) room.save_bytes = seen.size_bytes;
  room.free_bytes = measured.free ? measured.free->bytes : 0;
  const std::string heartbeat = session.heartbeat->problem();
  const bool failed = failed_for_want_of_room(
      {.stopped = end.stopped,
       .free = measured.free,
       .save_size = room.save_bytes,
       .broke_off = broke_off.has_value(),
       .broken_size = measured.broken_size,
       .saved_nothing = !seen.newest || (record.resumed_from && seen.newest->step <= *record.resumed_from),
       .looked = end.looked,
       .output = end.output,
       .root = session.env.checkpoint_dir,
       .volume_problem = says_no_room(seen.problem) ? seen.problem : heartbeat});
  if (!failed) return;
  session.bounded(record_timeout(session.time_left()), [volume = session.volume] { give_up_reserve(*volume); });
  measure_aside(session, room);
  append(record.message, in_words(room));
  session.host.say(in_words(room));
  record.full = room;
}

void look_for_room_at_start(Session& session, Record& record) {
  const Measured measured = measure(session, std::nullopt);
  record.full =
      protocol::ReportedRoom{.free_bytes = measured.free ? measured.free->bytes : 0, .save_bytes = record.size_bytes};
  measure_aside(session, *record.full);
}

}  // namespace reprise::agent
