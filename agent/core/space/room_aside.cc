#include "agent/core/space/room_aside.h"

#include <set>
#include <utility>

#include "agent/core/generations/outlived.h"
#include "agent/core/proofs/proofs.h"
#include "agent/core/retain/prune.h"
#include "agent/formats/name_numbers.h"
#include "runtime/base/size_text.h"

namespace reprise::agent {
namespace {

constexpr std::int64_t kSavesToCome = 2;

std::int64_t bytes_of_save(const Volume& volume, const VolumeScan& scan, const std::optional<Checkpoint>& one) {
  if (!one) return 0;
  const auto step = read_save_name(one->name).step;
  std::int64_t bytes = 0;
  for (const Checkpoint& each : scan.found)
    if (each.name == one->name || (step && each.complete && read_save_name(each.name).step == step))
      bytes += volume.files.size_of(volume.layout.root / each.name);
  return bytes;
}

bool holds_any(const Volume& volume, const std::filesystem::path& place) {
  const auto names = volume.files.list(place);
  return names && !names->empty();
}

// The question of a look of this attempt that has found `resume` durable: on a mount by FUSE, of that one alone.
std::optional<PruneQuestion> question_of(const Volume& volume, const Environment& env, const Identity& self,
                                         const VolumeScan& scan, const Checkpoint& resume) {
  const auto synced = volume.files.sync_volume(volume.layout.root, volume.layout.root / resume.name);
  if (!synced || *synced != Durability::Proven) return std::nullopt;
  PruneQuestion question{.found = scan.found,
                         .made = scan.made,
                         .job_uid = self.job_uid,
                         .durable_step = read_save_name(resume.name).step.value_or(resume.step),
                         .holds = held_by_volume(env)};
  const auto kind = volume.files.kind();
  const bool has_list = keeps_proofs(volume.files);
  for (const Checkpoint& each : scan.found) {
    const bool is_proven = has_list ? volume.proofs->knows(each) : each.name == resume.name || (kind && !kind->fuse);
    if (each.complete && !is_proven) question.unproven.insert(each.name);
  }
  return question;
}

void drop_outlived_torn(const Volume& volume, const Environment& env, const Identity& self, const VolumeScan& scan,
                        const Checkpoint& resume, std::vector<std::string>& notes) {
  // Only a full read or the other ranks say which save is needed.
  if (env.verifies_in_full || env.agrees_on_step() || !volume.format->unsearched().empty()) return;
  const auto question = question_of(volume, env, self, scan, resume);
  if (!question) return;
  const auto dropped = drop_torn(volume, [&](const std::string& path, std::int32_t put_aside_by) {
    const bool goes = is_outlived(path, put_aside_by, *question);
    if (goes) notes.push_back("torn checkpoint " + path + " was deleted from .reprise/torn: room is short");
    return goes;
  });
  if (!dropped) notes.push_back(".reprise/torn could not be emptied: " + dropped.error().message);
}

}  // namespace

RoomAside room_aside(const Volume& volume) {
  return {.torn = volume.files.size_of(volume.layout.torn()),
          .quarantine = volume.files.size_of(volume.layout.quarantine()),
          .unproven = volume.files.size_of(volume.layout.unproven())};
}

void tell(const RoomAside& aside, protocol::ReportedRoom& room) {
  room.torn_bytes = aside.torn;
  room.quarantine_bytes = aside.quarantine;
  room.unproven_bytes = aside.unproven;
}

std::string in_words(const RoomAside& aside) {
  std::string text;
  if (aside.torn > 0)
    text = ".reprise/torn holds " + runtime::size_text(aside.torn) +
           " of torn saves, which go once a newer save of all their parts is complete";
  if (aside.quarantine > 0)
    text += (text.empty() ? "" : ", and ") + std::string(".reprise/quarantine holds ") +
            runtime::size_text(aside.quarantine) + ", which no agent deletes";
  if (aside.unproven > 0)
    text += (text.empty() ? "" : ", and ") + std::string(".reprise/unproven holds ") +
            runtime::size_text(aside.unproven) + " of saves that nothing proves, which no agent deletes";
  return text.empty() ? text : text + ": what nobody needs there may be deleted by hand";
}

std::vector<std::string> make_room_for_training(const Volume& volume, const Environment& env, const Identity& self,
                                                const VolumeScan& scan, const std::optional<Checkpoint>& resume) {
  std::vector<std::string> notes;
  const bool any = holds_any(volume, volume.layout.torn()) || holds_any(volume, volume.layout.quarantine()) ||
                   holds_any(volume, volume.layout.unproven()) || holds_any(volume, volume.layout.trash());
  const auto free = any ? volume.files.free_space(volume.layout.root) : std::nullopt;
  if (!free || volume.findings->keeps_everything()) return notes;
  const RoomAside before = room_aside(volume);
  const bool is_short = free->bytes < kSavesToCome * bytes_of_save(volume, scan, resume) || free->bytes < before.all();
  if (!is_short) return notes;
  empty_trash(volume);
  if (resume && before.torn > 0) drop_outlived_torn(volume, env, self, scan, *resume, notes);
  if (const RoomAside left = room_aside(volume); left.all() > 0)
    notes.push_back(std::to_string(free->bytes) + " bytes were free on the volume, and " + in_words(left));
  return notes;
}

}  // namespace reprise::agent
