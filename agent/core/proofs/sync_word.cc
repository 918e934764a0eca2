#include "agent/core/proofs/sync_word.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "agent/core/run/volume.h"
#include "agent/formats/name_numbers.h"
#include "agent/json/json.h"
#include "protocol/common_checkpoint.h"

namespace reprise::agent {

std::string encode_sync_word(const SyncWord& word) {
  boost::json::object object{
      {"jobUid", word.by.job_uid}, {"podUid", word.by.pod_uid}, {"attempt", word.by.attempt}, {"index", word.by.index}};
  if (!word.begun.empty()) object["begun"] = word.begun;
  if (word.synced) {
    object["save"] = word.save;
    object["files"] = word.synced->files;
    object["bytes"] = word.synced->bytes;
    object["digest"] = protocol::encode_fingerprint(word.synced->digest);
    object["newest"] = word.synced->newest.time_since_epoch().count();
  }
  return to_text(object);
}

std::optional<SyncWord> decode_sync_word(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  const auto job_uid = text_of(*object, "jobUid"), pod_uid = text_of(*object, "podUid");
  const auto attempt = number_of(*object, "attempt"), index = number_of(*object, "index");
  if (!job_uid || !pod_uid || !attempt || !index) return std::nullopt;
  SyncWord word{.by = {.job_uid = *job_uid,
                       .pod_uid = *pod_uid,
                       .attempt = static_cast<std::int32_t>(*attempt),
                       .index = static_cast<std::int32_t>(*index)},
                .begun = text_of(*object, "begun").value_or(""),
                .save = text_of(*object, "save").value_or("")};
  const auto files = number_of(*object, "files"), bytes = number_of(*object, "bytes"),
             newest = number_of(*object, "newest");
  const auto digest = protocol::decode_fingerprint(text_of(*object, "digest").value_or(""));
  if (files && bytes && newest && digest)
    word.synced = CheckpointShape{.files = static_cast<std::uint64_t>(*files),
                                  .bytes = static_cast<std::uint64_t>(*bytes),
                                  .digest = *digest,
                                  .newest = runtime::WallTime(std::chrono::microseconds(*newest))};
  return word;
}

std::optional<CheckpointShape> shape_of_save(const Volume& volume, const Checkpoints& found, const Checkpoint& newest) {
  const auto step = read_save_name(newest.name).likely;
  std::vector<FileBelow> all;
  for (const Checkpoint& each : found) {
    const bool is_part = each.complete && step && read_save_name(each.name).likely == step;
    if (!is_part && each != newest) continue;
    if (!each.pieces.for_keep.empty() || !each.pieces.for_resume.empty()) return std::nullopt;
    const auto files = volume.files.list_below(volume.layout.root / each.name, kMostShaped);
    if (!files || files->empty() || all.size() + files->size() > kMostShaped) return std::nullopt;
    for (const FileBelow& file : *files)
      all.push_back({.path = each.name + "/" + file.path, .size = file.size, .modified = file.modified});
  }
  std::ranges::sort(all, {}, &FileBelow::path);
  return shape_of(all);
}

}  // namespace reprise::agent
