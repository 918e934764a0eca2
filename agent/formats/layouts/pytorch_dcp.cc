#include "agent/formats/layouts/pytorch_dcp.h"

#include <algorithm>
#include <array>
#include <vector>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/structure/dcp_metadata.h"
#include "agent/formats/structure/zip_archive.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kDcpMetadata = ".metadata", kUnfinishedMetadata = ".metadata.tmp", kShard = ".distcp";
constexpr std::uint64_t kLargestMetadata = std::uint64_t{16} << 20U;

bool is_shard(const std::string& name) {
  return name.ends_with(kShard);
}
// __0.metadata, of rank 0
bool is_metadata_of_rank(const std::string& name) {
  return name.starts_with("__") && name.ends_with(kDcpMetadata);
}

std::vector<std::string> metadata_in(const CheckpointContents& contents) {
  if (contents.entries.contains(kDcpMetadata)) return {std::string(kDcpMetadata)};
  std::vector<std::string> found;
  for (const auto& [name, info] : contents.entries)
    if (is_metadata_of_rank(name)) found.push_back(name);
  return found;
}

// A save over an older checkpoint leaves the old metadata until its own is whole.
bool overwritten(const CheckpointContents& contents) {
  const FileInfo* metadata = contents.file(kDcpMetadata);
  if (!contents.entries.contains(kUnfinishedMetadata) || metadata == nullptr) return false;
  return std::ranges::any_of(contents.entries, [&](const auto& entry) {
    return is_shard(entry.first) && entry.second.modified > metadata->modified;
  });
}

// A tensor is a zip archive of its own, as torch.save writes it.
Flawed check_piece(const CheckedFile& shard, const StoredPiece& piece) {
  const auto ends = ends_as_begun(shard, piece.offset, piece.length);
  if (!ends) return std::unexpected(ends.error());
  if (*ends) return std::nullopt;
  return corrupt(shard.name + ": the tensor at byte " + std::to_string(piece.offset) + " does not end as it should");
}

// The last piece, and some of the others: a hole shows in any.
Flawed check_shard(const CheckedFile& shard, const std::vector<StoredPiece>& pieces) {
  constexpr std::size_t kMostPieces = 32;
  if (pieces.empty()) return std::nullopt;
  const auto needed = std::ranges::max(pieces, {}, &StoredPiece::end).end();
  if (shard.size < needed)
    return corrupt(shard.name + ": has " + std::to_string(shard.size) + " of " + std::to_string(needed) + " bytes");
  const std::size_t stride = std::max<std::size_t>(1, pieces.size() / kMostPieces);
  for (std::size_t at = 0; at < pieces.size(); at += stride)
    if (auto flaw = check_piece(shard, pieces[pieces.size() - 1 - at]); !flaw || *flaw) return flaw;
  return std::nullopt;
}

Flawed check_metadata(const CheckpointContents& contents, const std::string& name) {
  if (auto flaw = missing(contents, name)) return flaw;
  const CheckedFile file = contents.checked(name);
  if (file.size > kLargestMetadata) return std::nullopt;
  const auto text = file.bytes(0, file.size);
  if (!text) return std::unexpected(text.error());
  const auto stored = files_in_metadata(*text);
  if (!stored) return corrupt(file.name + ": cannot be read: it was cut off");
  for (const auto& [shard, pieces] : *stored) {
    if (auto flaw = missing(contents, shard)) return flaw;
    if (auto flaw = check_shard(contents.checked(shard), pieces); !flaw || *flaw) return flaw;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> PyTorchDcpLayout::recognise(const CheckpointContents& contents) const {
  if (contents.itself.kind != FileInfo::Kind::Directory) return std::nullopt;
  const bool dcp = std::ranges::any_of(contents.entries, [](const auto& entry) {
    return is_shard(entry.first) || entry.first == kDcpMetadata || entry.first == kUnfinishedMetadata ||
           is_metadata_of_rank(entry.first);
  });
  return dcp ? step_of(contents.name) : std::nullopt;
}

runtime::Result<Judgement> PyTorchDcpLayout::judge(const CheckpointContents& contents) const {
  const auto metadata = metadata_in(contents);
  if (metadata.empty())
    return Judgement{.flaw = Flaw{FlawKind::Incomplete, contents.below + std::string(kDcpMetadata) + ": is not there"}};
  if (overwritten(contents))
    return Judgement{
        .flaw =
            Flaw{FlawKind::Incomplete,
                 contents.below + std::string(kUnfinishedMetadata) +
                     ": is there, and shards are newer than the metadata: a save over this checkpoint did not end"}};
  Judgement judged;
  for (const std::string& name : metadata) {
    const auto flaw = check_metadata(contents, name);
    if (!flaw) return std::unexpected(flaw.error());
    if (*flaw) return Judgement{.flaw = *flaw};
    if (judged.mark.empty() || contents.file(name)->modified > judged.completed) {
      judged.completed = contents.file(name)->modified;
      judged.mark = name;
    }
  }
  return judged;
}

}  // namespace reprise::agent
