#include "agent/core/sums/sums_record.h"

#include <algorithm>
#include <map>

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/layouts/marked/manifest.h"
#include "agent/formats/structure/sha256.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

using Path = std::filesystem::path;
using runtime::Result;

constexpr int kDeepestSurveyed = 16;  // as read_everything.cc

class ExtentSurvey {
 public:
  explicit ExtentSurvey(const VolumeFiles& files) : files_(files) {}

  // Directories behind links are left out: of them what a list names counts alone.
  Result<void> add_directory(const Path& directory, const std::string& below, int depth) {
    const auto entries = files_.list_entries(directory);
    if (!entries) return std::unexpected(entries.error());
    for (const auto& [name, kind] : *entries) {
      const std::string inside = below + name;
      if (kind != FileInfo::Kind::Directory) {
        if (auto added = add_file(directory / name, inside); !added) return added;
      } else if (depth < kDeepestSurveyed) {
        if (auto added = add_directory(directory / name, inside + "/", depth + 1); !added) return added;
      }
    }
    return {};
  }

  Result<void> add_listed(const Path& directory) {
    const std::string name = directory.filename().string();
    CheckpointContents contents{
        .files = files_, .path = directory, .name = name, .itself = {.kind = FileInfo::Kind::Directory}};
    for (const auto& [path, info] : found_)
      if (path.find('/') == std::string::npos) contents.entries.emplace(path, info);
    const auto list = sum_list_in(contents);
    if (!list) return std::unexpected(list.error());
    if (!*list) return {};
    for (const auto& [listed, sum] : (*list)->sums) {
      if (found_.contains(listed)) continue;
      if (auto added = add_file(directory / listed, listed); !added) return added;
    }
    return {};
  }

  Result<void> add_file(const Path& path, const std::string& name) {
    const auto info = files_.look(path, Links::Follow);
    if (!info) return std::unexpected(info.error());
    if (*info && (*info)->kind == FileInfo::Kind::File) found_.insert_or_assign(name, **info);
    return {};
  }

  [[nodiscard]] Extent extent() const {
    Extent made;
    Sha256 sum;
    for (const auto& [name, info] : found_) {
      const auto time = info.modified.time_since_epoch().count();
      sum.add(name + '\0' + std::to_string(info.size) + '\0' + std::to_string(time) + '\n');
      ++made.files;
      made.bytes += static_cast<std::int64_t>(info.size);
    }
    made.sum = sum.hex();
    return made;
  }

 private:
  const VolumeFiles& files_;
  std::map<std::string, FileInfo> found_;
};

boost::json::object encoded_reader(const Identity& who) {
  return {{"jobUid", who.job_uid}, {"podUid", who.pod_uid}, {"attempt", who.attempt}, {"index", who.index}};
}

std::optional<Identity> reader_of(const boost::json::object& object) {
  const auto job_uid = text_of(object, "jobUid"), pod_uid = text_of(object, "podUid");
  const auto attempt = number_of(object, "attempt"), index = number_of(object, "index");
  if (!job_uid || !pod_uid || !attempt || !index) return std::nullopt;
  return Identity{.job_uid = *job_uid,
                  .pod_uid = *pod_uid,
                  .attempt = static_cast<std::int32_t>(*attempt),
                  .index = static_cast<std::int32_t>(*index)};
}

}  // namespace

Result<Extent> extent_of(const VolumeFiles& files, const Path& path, const FileInfo& info) {
  ExtentSurvey survey(files);
  const bool is_file = info.kind == FileInfo::Kind::File;
  auto added = is_file ? survey.add_file(path, path.filename().string()) : survey.add_directory(path, "", 0);
  if (added && !is_file) added = survey.add_listed(path);
  if (!added) return std::unexpected(added.error());
  return survey.extent();
}

std::string encode_sums_record(const SumsRecord& record) {
  auto object = encoded_reader(record.reader);
  object["checkpoint"] = record.name;
  object["files"] = record.extent.files;
  object["bytes"] = record.extent.bytes;
  object["extent"] = record.extent.sum;
  if (record.flaw) object["flaw"] = record.flaw->reason;
  if (record.flaw) object["corrupt"] = record.flaw->kind == FlawKind::Corrupt;
  return to_text(object);
}

std::optional<SumsRecord> decode_sums_record(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  auto reader = reader_of(*object);
  const auto name = text_of(*object, "checkpoint"), sum = text_of(*object, "extent"), flaw = text_of(*object, "flaw");
  const auto count = number_of(*object, "files"), bytes = number_of(*object, "bytes");
  if (!reader || !name || !sum || !count || !bytes) return std::nullopt;
  SumsRecord record{.name = *name,
                    .reader = *std::move(reader),
                    .extent = {.sum = *sum, .files = *count, .bytes = *bytes},
                    .flaw = std::nullopt};
  const auto kind = flag_of(*object, "corrupt").value_or(true) ? FlawKind::Corrupt : FlawKind::Incomplete;
  if (flaw) record.flaw = Flaw{.kind = kind, .reason = *flaw};
  return record;
}

std::string encode_sums_claim(const SumsClaim& claim) {
  auto object = encoded_reader(claim.reader);
  object["bytes"] = claim.bytes;
  return to_text(object);
}

std::optional<SumsClaim> decode_sums_claim(std::string_view text) {
  const auto object = parse_object(text);
  auto reader = object ? reader_of(*object) : std::nullopt;
  if (!reader) return std::nullopt;
  return SumsClaim{.reader = *std::move(reader), .bytes = number_of(*object, "bytes").value_or(0)};
}

}  // namespace reprise::agent
