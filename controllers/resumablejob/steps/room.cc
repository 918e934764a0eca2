#include "controllers/resumablejob/steps/room.h"

#include <algorithm>
#include <utility>

#include "controllers/resumablejob/pods/names.h"
#include "runtime/base/size_text.h"

namespace reprise::controllers::resumablejob {
namespace {

using runtime::size_text;

constexpr std::string_view kNearlyFull = "VolumeNearlyFull";

// There is room again once that much more is free than what is too little.
std::int64_t ample(std::int64_t needed) {
  return needed + needed / 2;
}

bool is_short(const protocol::ReportedRoom& told, bool was_short) {
  if (!told.needed_bytes || *told.needed_bytes <= 0) return false;
  return told.free_bytes < (was_short ? ample(*told.needed_bytes) : *told.needed_bytes);
}

double share_of_need(const protocol::ReportedRoom& told) {
  return static_cast<double>(told.free_bytes) / static_cast<double>(*told.needed_bytes);
}

// A difference of less than an eighth of what is needed is nothing that anybody has to be told of.
bool says_the_same(const api::RoomStatus& one, const api::RoomStatus& other) {
  api::RoomStatus alike = other;
  alike.free_bytes = one.free_bytes;
  const std::int64_t apart = std::max(one.free_bytes, other.free_bytes) - std::min(one.free_bytes, other.free_bytes);
  return one == alike && apart < one.needed_bytes.value_or(0) / 8;
}

std::string so_many(std::int64_t number, const std::string& one) {
  return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
}

}  // namespace

api::RoomStatus room_of(const protocol::ReportedRoom& told, const std::string& claim) {
  return {.claim_name = claim,
          .free_bytes = told.free_bytes,
          .save_bytes = told.save_bytes,
          .needed_bytes = told.needed_bytes,
          .generations = told.generations,
          .keep = told.keep,
          .keep_deletes = told.keep_deletes,
          .keep_frees_bytes = told.keep_frees_bytes,
          .torn_bytes = told.torn_bytes,
          .quarantine_bytes = told.quarantine_bytes,
          .unproven_bytes = told.unproven_bytes};
}

std::string describe_room(const api::RoomStatus& room) {
  std::string text = size_text(room.free_bytes) + (room.free_bytes == 1 ? " is free" : " are free");
  if (room.save_bytes) text += ", a save takes " + size_text(*room.save_bytes);
  if (room.generations > 0)
    text += ", and " + so_many(room.generations, "complete checkpoint") + " of this job " +
            (room.generations == 1 ? "lies there" : "lie there");
  if (room.torn_bytes > 0)
    text += "; .reprise/torn holds " + size_text(room.torn_bytes) +
            " of torn saves, which go once a newer save of all their parts is complete";
  if (room.quarantine_bytes > 0)
    text += "; .reprise/quarantine holds " + size_text(room.quarantine_bytes) + ", which no agent deletes";
  if (room.unproven_bytes > 0)
    text += "; .reprise/unproven holds " + size_text(room.unproven_bytes) +
            " of saves that nothing proves, which no agent deletes";
  return text;
}

std::string how_to_make_room(const api::RoomStatus& room) {
  const bool any_aside = room.torn_bytes > 0 || room.quarantine_bytes > 0 || room.unproven_bytes > 0;
  const std::string by_hand = any_aside ? ", or delete by hand what nobody needs of what was put aside" : "";
  if (!room.keep) return "let the claim grow, or delete what is not needed on it" + by_hand;
  const std::string keep = std::to_string(*room.keep);
  return "set spec.checkpoint.keep to " + keep + ", by which the next attempt deletes " +
         std::to_string(room.keep_deletes) + " of them (" + size_text(room.keep_frees_bytes) +
         ") once it trains, or let the claim grow" + by_hand;
}

kube::Rare<api::RoomStatus> short_room(const Observation& seen, const std::vector<const reports::RankReport*>& reports,
                                       const kube::Rare<api::RoomStatus>& before) {
  const reports::RankReport* worst = nullptr;
  bool any_says = false;
  for (const reports::RankReport* each : reports) {
    const auto& told = each->said.room;
    if (!told || !told->needed_bytes) continue;
    any_says = true;
    if (!is_short(*told, before.has_value())) continue;
    if (worst == nullptr || share_of_need(*told) < share_of_need(*worst->said.room)) worst = each;
  }
  if (worst == nullptr) return any_says ? kube::Rare<api::RoomStatus>() : before;
  auto room = room_of(*worst->said.room, claim_name(*seen.job, worst->said.index));
  return before && says_the_same(*before, room) ? before : kube::Rare<api::RoomStatus>(std::move(room));
}

void judge_room(PlanBuilder& builder) {
  const api::ResumableJobStatus& status = builder.status();
  if (is_finished(status)) return builder.conditions.remove(kNearlyFull);
  const auto& before = builder.conditions.before();
  if (const auto* room = status.progress && status.progress->room ? &*status.progress->room : nullptr) {
    const std::string message = "PersistentVolumeClaim " + std::string(room->claim_name) +
                                " will soon be full: " + describe_room(*room) + "; " + how_to_make_room(*room);
    if (!is_true(before, kNearlyFull)) builder.announce(EventType::Warning, "VolumeNearlyFull", "RunAttempt", message);
    return builder.conditions.set_true(kNearlyFull, "LittleRoom", message);
  }
  if (find_condition(before, kNearlyFull) != nullptr)
    builder.conditions.set_false(kNearlyFull, "EnoughRoom", "the checkpoint volume has room for what comes next");
}

}  // namespace reprise::controllers::resumablejob
