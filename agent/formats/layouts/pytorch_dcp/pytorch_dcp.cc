#include "agent/formats/layouts/pytorch_dcp/pytorch_dcp.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <set>
#include <vector>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/structure/torch/dcp_metadata.h"
#include "agent/formats/structure/torch/zip_archive.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kDcpMetadata = ".metadata", kUnfinishedMetadata = ".metadata.tmp", kShard = ".distcp";
// Most bytes of the metadata; the object read from them takes about ten times as many in memory.
constexpr std::uint64_t kLargestMetadata = std::uint64_t{64} << 20U;

bool is_shard(const std::string& name) {
  return name.ends_with(kShard);
}
// __0.metadata, of rank 0
bool is_metadata_of_rank(const std::string& name) {
  return name.starts_with("__") && name.ends_with(kDcpMetadata);
}

// 3 of __3_0.distcp and of __3.metadata
std::optional<std::int64_t> rank_in(std::string_view name) {
  constexpr std::string_view kBegin = "__";
  if (!name.starts_with(kBegin)) return std::nullopt;
  name.remove_prefix(kBegin.size());
  std::int32_t rank = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
  return error == std::errc{} && rank >= 0 ? std::optional<std::int64_t>(rank) : std::nullopt;
}

std::set<std::int64_t> ranks_with_shards(const CheckpointContents& contents) {
  std::set<std::int64_t> ranks;
  for (const auto& [name, info] : contents.entries)
    if (const auto rank = rank_in(name); rank && is_shard(name) && contents.file(name) != nullptr) ranks.insert(*rank);
  return ranks;
}

std::vector<std::string> metadata_in(const CheckpointContents& contents) {
  if (contents.entries.contains(kDcpMetadata)) return {std::string(kDcpMetadata)};
  std::vector<std::string> found;
  for (const auto& [name, info] : contents.entries)
    if (is_metadata_of_rank(name)) found.push_back(name);
  return found;
}

// One rank's metadata names the shards of all, and each rank reads it: no volume of one rank has both.
Flaw with_volume_each(const CheckpointContents& contents, Flaw flaw) {
  if (contents.held.volumes > 1)
    flaw.reason +=
        ", and with a volume for each rank it cannot be loaded: let each rank save for itself "
        "(no_dist=True or use_collectives=False)";
  return flaw;
}

std::optional<Flaw> too_few(const CheckpointContents& contents, const std::vector<std::string>& metadata) {
  const auto is_not_there = [&](const std::string& name) {
    return Flaw{.kind = FlawKind::Incomplete, .reason = contents.below + name + ": is not there"};
  };
  if (metadata.empty()) return with_volume_each(contents, is_not_there(std::string(kDcpMetadata)));
  if (metadata.front() == kDcpMetadata) return std::nullopt;
  for (const std::int64_t rank : ranks_with_shards(contents)) {
    const std::string needed = "__" + std::to_string(rank) + std::string(kDcpMetadata);
    if (std::ranges::find(metadata, needed) == metadata.end()) return is_not_there(needed);
  }
  return std::nullopt;
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

// Each rank writes a shard, if an empty one.
std::optional<Flaw> check_ranks(const CheckpointContents& contents, const std::string& metadata) {
  const auto there = ranks_with_shards(contents);
  std::int64_t first = 0, last = there.empty() ? 0 : *there.rbegin();
  if (const auto only = rank_in(metadata)) first = last = *only;
  for (std::int64_t rank = first; rank <= last; ++rank)
    if (!there.contains(rank))
      return Flaw{.kind = FlawKind::Incomplete,
                  .reason = contents.below + "__" + std::to_string(rank) + "_*" + std::string(kShard) +
                            ": there is none, and " + metadata + " is too large to be read"};
  return std::nullopt;
}

// Checks as much as shards tell without metadata.
Flawed check_unread(const CheckpointContents& contents, const std::string& metadata) {
  if (auto flaw = check_ranks(contents, metadata)) return flaw;
  for (const auto& [name, info] : contents.entries) {
    const bool empty = info.kind == FileInfo::Kind::File && info.size == 0;
    if (!is_shard(name) || empty) continue;
    if (auto flaw = missing(contents, name)) return flaw;
    const CheckedFile shard = contents.checked(name);
    if (auto flaw = check_piece(shard, {.offset = 0, .length = shard.size}); !flaw || *flaw) return flaw;
  }
  return std::nullopt;
}

Flawed check_metadata(const CheckpointContents& contents, const std::string& name) {
  if (auto flaw = missing(contents, name)) return flaw;
  const CheckedFile file = contents.checked(name);
  if (file.size > kLargestMetadata) return check_unread(contents, name);
  const auto text = file.bytes(0, file.size);
  if (!text) return std::unexpected(text.error());
  const auto stored = files_in_metadata(*text);
  if (!stored) return corrupt(file.name + ": cannot be read: it was cut off");
  // Others may have all where a rank saves for itself.
  if (stored->empty() && name == kDcpMetadata) return incomplete(file.name + ": names no shard");
  for (const auto& [shard, pieces] : *stored) {
    if (auto flaw = missing(contents, shard)) return with_volume_each(contents, *std::move(flaw));
    if (auto flaw = check_shard(contents.checked(shard), pieces); !flaw || *flaw) return flaw;
  }
  return std::nullopt;
}

}  // namespace

bool holds_dcp_shards(const CheckpointContents& contents) {
  return std::ranges::any_of(contents.entries, [](const auto& entry) { return is_shard(entry.first); });
}

bool mixes_saves(const CheckpointContents& contents, std::string_view last) {
  constexpr std::chrono::seconds kClocksDiffer(10);
  const FileInfo* metadata = contents.file(kDcpMetadata);
  const FileInfo* end = contents.file(last);
  if (metadata == nullptr || end == nullptr) return false;
  const auto saved = std::max(metadata->modified, end->modified) + kClocksDiffer;
  std::size_t shards = 0, newer = 0, older = 0;
  for (const auto& [name, info] : contents.entries) {
    if (!is_shard(name)) continue;
    ++shards;
    if (info.modified > saved) ++newer;
    if (info.modified <= metadata->modified) ++older;
  }
  return newer > 0 && older > 0 && newer + older == shards;
}

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
  if (auto flaw = too_few(contents, metadata)) return Judgement{.flaw = flaw};
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
