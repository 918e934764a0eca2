#include "agent/formats/layouts/pytorch_dcp/dcp_safetensors.h"

#include <algorithm>
#include <string>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/hugging_face/weight_index.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kTensors = ".safetensors", kOfMany = "-of-", kOfAll = "model-", kShardOfRank = "shard-";
constexpr std::string_view kOfRanks = "sharded";  // a directory: what ranks wrote, before rank 0 has consolidated it
// file of transformers, which writes such an index too
constexpr std::string_view kStateOfTrainer = "trainer_state.json";
constexpr std::string_view kWholeState = ".metadata";
constexpr std::size_t kMostNeighbours = 16;

bool is_of_writer(std::string_view name) {
  return name.ends_with(kTensors) && name.contains(kOfMany) &&
         (name.starts_with(kOfAll) || name.starts_with(kShardOfRank));
}

runtime::Result<bool> has_whole_state_beside(const CheckpointContents& contents) {
  const auto directory = contents.path.parent_path();
  const auto beside = contents.files.list_entries(directory);
  if (!beside) return std::unexpected(beside.error());
  std::size_t looked_at = 0;
  for (auto other = beside->rbegin(); other != beside->rend() && looked_at < kMostNeighbours; ++other) {
    if (other->kind != FileInfo::Kind::Directory || !names_checkpoint(other->name)) continue;
    ++looked_at;
    const auto metadata = contents.files.look(directory / other->name / kWholeState, Links::Follow);
    if (!metadata && says_lost(metadata.error())) continue;
    if (!metadata) return std::unexpected(metadata.error());
    if (*metadata) return true;
  }
  return false;
}

// True if the head of its own files says so; whole ones that it has made of the ranks' bear no such word, and lie
// beside those.
runtime::Result<bool> is_by_this_library(const CheckpointContents& contents) {
  constexpr std::string_view kWritten = "\"DCP_VERSION\"", kSharding = "\"DCP_SHARDING_INFO\"";
  constexpr std::size_t kHeadBytes = 512;
  if (contents.has_directory(kOfRanks)) return true;
  for (const auto& [name, info] : contents.entries) {
    if (!is_of_writer(name) || contents.file(name) == nullptr) continue;
    if (name.starts_with(kShardOfRank)) return true;
    const auto head = contents.checked(name).bytes(0, kHeadBytes);
    if (!head) return std::unexpected(head.error());
    if (head->contains(kWritten) || head->contains(kSharding)) return true;
  }
  return false;
}

Flawed check_exported(const CheckpointContents& contents) {
  if (auto flaw = missing(contents, kSafetensorsIndex)) {
    const bool of_ranks =
        std::ranges::any_of(contents.entries, [](const auto& entry) { return entry.first.starts_with(kShardOfRank); });
    if (of_ranks)
      flaw->reason +=
          ", so nothing shows whether all ranks have saved: HuggingFaceStorageWriter needs "
          "enable_consolidation=True";
    return flaw;
  }
  if (auto flaw = check_weight_index(contents, kSafetensorsIndex); !flaw || *flaw) return flaw;
  return check_all(contents);
}

}  // namespace

std::optional<std::int64_t> DcpSafetensorsLayout::recognise(const CheckpointContents& contents) const {
  const bool named = contents.itself.kind == FileInfo::Kind::Directory && names_checkpoint(contents.name);
  if (!named || contents.entries.contains(kStateOfTrainer)) return std::nullopt;
  const bool any = contents.entries.contains(kSafetensorsIndex) || contents.has_directory(kOfRanks) ||
                   std::ranges::any_of(contents.entries, [](const auto& entry) { return is_of_writer(entry.first); });
  return any ? step_of(contents.name) : std::nullopt;
}

runtime::Result<Judgement> DcpSafetensorsLayout::judge(const CheckpointContents& contents) const {
  const bool named = takes_ == Takes::Named;
  const auto is_export = has_whole_state_beside(contents);
  if (!is_export) return std::unexpected(is_export.error());
  const FileInfo* index = contents.file(kSafetensorsIndex);
  const auto path = contents.path / kSafetensorsIndex;
  if (*is_export && index != nullptr && exports_.has(path, *index)) return Judgement{.is_no_checkpoint = true};
  const auto by_this = is_by_this_library(contents);
  if (!by_this) return std::unexpected(by_this.error());
  if (!*is_export && (!named || !*by_this)) return Judgement{.is_somebody_elses = true};
  const auto flaw = check_exported(contents);
  if (!flaw) return std::unexpected(flaw.error());
  if (*flaw) return named && *by_this ? Judgement{.flaw = *flaw} : Judgement{.is_somebody_elses = true};
  if (!*is_export) return Judgement{.completed = index->modified, .mark = std::string(kSafetensorsIndex)};
  exports_.add(path, *index);
  return Judgement{.is_no_checkpoint = true};
}

}  // namespace reprise::agent
