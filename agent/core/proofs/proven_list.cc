#include "agent/core/proofs/proven_list.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <utility>

#include "agent/json/json.h"
#include "protocol/common_checkpoint.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kWrittenAtOnce = 4'096;

std::int64_t microseconds(runtime::WallTime time) {
  return time.time_since_epoch().count();
}
runtime::WallTime wall_time(std::int64_t microseconds) {
  return runtime::WallTime(std::chrono::microseconds(microseconds));
}

boost::json::object encode_one(const ProvenCheckpoint& each) {
  boost::json::object object{{"name", each.name}, {"completed", microseconds(each.completed)}};
  if (!each.shape) return object;
  object["files"] = each.shape->files;
  object["bytes"] = each.shape->bytes;
  object["digest"] = protocol::encode_fingerprint(each.shape->digest);
  object["newest"] = microseconds(each.shape->newest);
  return object;
}

std::optional<ProvenCheckpoint> decode_one(const boost::json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const auto& object = value.get_object();
  auto name = text_of(object, "name");
  const auto completed = number_of(object, "completed");
  if (!name || !completed) return std::nullopt;
  ProvenCheckpoint each{.name = *std::move(name), .completed = wall_time(*completed)};
  const auto files = number_of(object, "files"), bytes = number_of(object, "bytes");
  const auto digest = protocol::decode_fingerprint(text_of(object, "digest").value_or(""));
  if (files && bytes && digest)
    each.shape = CheckpointShape{.files = static_cast<std::uint64_t>(*files),
                                 .bytes = static_cast<std::uint64_t>(*bytes),
                                 .digest = *digest,
                                 .newest = wall_time(number_of(object, "newest").value_or(0))};
  return each;
}

std::string text_with(const ProvenList& list) {
  boost::json::array checkpoints;
  for (const ProvenCheckpoint& each : list.checkpoints) checkpoints.push_back(encode_one(each));
  boost::json::object object{
      {"jobUid", list.job_uid}, {"attempt", list.attempt}, {"firstRank", list.first_rank}, {"ranks", list.ranks}};
  if (list.cut_before) object["cutBefore"] = microseconds(*list.cut_before);
  object["checkpoints"] = std::move(checkpoints);
  return to_text(object);
}

}  // namespace

CheckpointShape shape_of(const std::vector<FileBelow>& files) {
  CheckpointShape shape{.files = files.size()};
  std::string text;
  for (const FileBelow& each : files) {
    shape.bytes += each.size;
    shape.newest = std::max(shape.newest, each.modified);
    text += each.path;
    text += '\0';
    text += std::to_string(each.size) + ' ' + std::to_string(microseconds(each.modified)) + '\n';
  }
  shape.digest = protocol::fingerprint(text);
  return shape;
}

bool are_still_there(const CheckpointShape& shape, std::vector<FileBelow> files) {
  std::erase_if(files, [&](const FileBelow& each) { return each.modified > shape.newest; });
  return shape_of(files) == shape;
}

std::string encode_proven(ProvenList list) {
  std::string text = text_with(list);
  // An entry that counts by its time alone is to be no newer than the listed ones: some machine's clock may have been
  // ahead.
  if (text.size() > VolumeFiles::kMostInOneList)
    std::ranges::stable_sort(list.checkpoints, {}, &ProvenCheckpoint::completed);
  while (text.size() > VolumeFiles::kMostInOneList && !list.checkpoints.empty()) {
    const std::size_t surplus = text.size() - VolumeFiles::kMostInOneList;
    const std::size_t each = text.size() / list.checkpoints.size();
    const std::size_t drop = std::min(list.checkpoints.size(), surplus / std::max<std::size_t>(each, 1) + 1);
    for (std::size_t at = 0; at < drop; ++at)
      list.cut_before = std::max(list.cut_before.value_or(runtime::WallTime{}), list.checkpoints[at].completed);
    list.checkpoints.erase(list.checkpoints.begin(), list.checkpoints.begin() + static_cast<std::ptrdiff_t>(drop));
    text = text_with(list);
  }
  text += '\n';
  text.resize((text.size() + kWrittenAtOnce - 1) / kWrittenAtOnce * kWrittenAtOnce, ' ');
  return text;
}

std::optional<ProvenList> decode_proven(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  const auto job = text_of(*object, "jobUid");
  const auto attempt = number_of(*object, "attempt");
  const auto* checkpoints = array_of(*object, "checkpoints");
  if (!job || !attempt || checkpoints == nullptr) return std::nullopt;
  ProvenList list{.job_uid = *job,
                  .attempt = static_cast<std::int32_t>(*attempt),
                  .first_rank = static_cast<std::int32_t>(number_of(*object, "firstRank").value_or(0)),
                  .ranks = static_cast<std::int32_t>(number_of(*object, "ranks").value_or(1))};
  if (const auto cut = number_of(*object, "cutBefore")) list.cut_before = wall_time(*cut);
  for (const boost::json::value& value : *checkpoints)
    if (auto each = decode_one(value)) list.checkpoints.push_back(*std::move(each));
  return list;
}

const ProvenCheckpoint* find_proven(const ProvenList& list, const Checkpoint& checkpoint) {
  const auto found = std::ranges::find_if(list.checkpoints, [&](const ProvenCheckpoint& each) {
    return each.name == checkpoint.name && each.completed == checkpoint.time;
  });
  return found == list.checkpoints.end() ? nullptr : &*found;
}

bool lists(const ProvenList& list, const Checkpoint& checkpoint) {
  if (find_proven(list, checkpoint) != nullptr) return true;
  const bool is_named =
      std::ranges::find(list.checkpoints, checkpoint.name, &ProvenCheckpoint::name) != list.checkpoints.end();
  return !is_named && list.cut_before && checkpoint.time <= *list.cut_before;
}

}  // namespace reprise::agent
