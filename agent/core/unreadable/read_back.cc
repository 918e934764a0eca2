#include "agent/core/unreadable/read_back.h"

#include <algorithm>
#include <utility>

#include "agent/formats/verify/lost_bytes.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlock = 4'096, kStoreBlock = std::uint64_t{4} << 20U;
constexpr int kDeepestRead = 8;

struct ReadFile {
  fs::path path;
  std::uint64_t size = 0;
};

// Ends with the first that is lost.
class Walk {
 public:
  Walk(const VolumeFiles& files, const fs::path& checkpoint, const std::function<bool()>& goes_on)
      : files_(files), checkpoint_(checkpoint), goes_on_(goes_on) {}

  std::optional<Flaw> itself() {
    const auto info = files_.look(checkpoint_, Links::Stay);
    if (!info) return flaw_of(info.error());
    if (*info && (*info)->kind == FileInfo::Kind::File) found.push_back({checkpoint_, (*info)->size});
    return *info && (*info)->kind == FileInfo::Kind::Directory ? into(checkpoint_, 0) : std::nullopt;
  }

  std::vector<ReadFile> found;

 private:
  [[nodiscard]] std::optional<Flaw> flaw_of(const runtime::Error& error) const {
    return says_lost(error) ? std::optional(flaw_of_lost(error, checkpoint_)) : std::nullopt;
  }

  std::optional<Flaw> into(const fs::path& directory, int depth) {
    if (depth > kDeepestRead) return std::nullopt;
    const auto entries = files_.list_entries(directory);
    if (!entries) return flaw_of(entries.error());
    for (const DirectoryEntry& entry : *entries) {
      if (!goes_on_() || found.size() >= kMostReadBack) return std::nullopt;
      const fs::path path = directory / entry.name;
      if (entry.kind == FileInfo::Kind::Directory) {
        if (auto flaw = into(path, depth + 1)) return flaw;
        continue;
      }
      const auto info = files_.look(path, Links::Follow);
      if (!info && says_lost(info.error())) return flaw_of(info.error());
      if (info && *info && (*info)->kind == FileInfo::Kind::File) found.push_back({path, (*info)->size});
    }
    return std::nullopt;
  }

  const VolumeFiles& files_;
  const fs::path& checkpoint_;
  const std::function<bool()>& goes_on_;
};

class Planning {
 public:
  Planning(const std::vector<std::uint64_t>& sizes, const ReadBackBound& bound)
      : sizes_(sizes), bound_(bound), reads_of_(sizes.size()) {
    for (std::size_t at = 0; at < sizes.size(); ++at)
      if (sizes[at] > 0) with_bytes_.push_back(at);
  }

  std::vector<SmallRead> plan() && {
    const std::size_t stride = std::max<std::size_t>(1, (with_bytes_.size() + bound_.reads - 1) / bound_.reads);
    for (std::size_t at = 0; at < with_bytes_.size(); at += stride) last_of(with_bytes_[at]);
    for (const std::size_t file : with_bytes_)
      if (sizes_[file] > kBlock) add(file, 0);
    for (std::uint64_t parts = 2; add_between(parts);) parts *= 2;
    return std::move(reads_);
  }

 private:
  void add(std::size_t file, std::uint64_t offset) {
    if (reads_.size() >= bound_.reads || reads_of_[file] >= bound_.per_file) return;
    const std::uint64_t length = std::min(kBlock, sizes_[file] - offset);
    reads_.push_back({.file = file, .offset = offset, .length = static_cast<std::size_t>(length)});
    ++reads_of_[file];
  }
  void last_of(std::size_t file) { add(file, sizes_[file] - std::min(kBlock, sizes_[file])); }

  // Adds reads at the odd ones of so many equal parts. True if closer ones may follow.
  bool add_between(std::uint64_t parts) {
    bool any = false;
    const std::size_t before = reads_.size();
    for (const std::size_t file : with_bytes_) {
      const std::uint64_t part = sizes_[file] / parts;
      if (part < kStoreBlock / 2) continue;
      any = true;
      for (std::uint64_t odd = 1; odd < parts && reads_.size() < bound_.reads; odd += 2) add(file, part * odd);
    }
    return any && reads_.size() > before;
  }

  const std::vector<std::uint64_t>& sizes_;
  const ReadBackBound& bound_;
  std::vector<std::size_t> with_bytes_, reads_of_;
  std::vector<SmallRead> reads_;
};

}  // namespace

ReadBackBound read_back_bound(const std::optional<MountKind>& kind) {
  if (kind && kind->fuse) return {.reads = 2'048, .per_file = 2'048, .time = std::chrono::seconds(20)};
  return {.reads = 512, .per_file = 3, .time = std::chrono::seconds(5)};
}

std::vector<SmallRead> plan_read_back(const std::vector<std::uint64_t>& sizes, const ReadBackBound& bound) {
  return bound.reads == 0 ? std::vector<SmallRead>() : Planning(sizes, bound).plan();
}

std::optional<Flaw> read_back(const VolumeFiles& files, const fs::path& checkpoint, const ReadBackBound& bound,
                              const std::function<bool()>& goes_on) {
  Walk walk(files, checkpoint, goes_on);
  if (auto flaw = walk.itself()) return flaw;
  std::vector<std::uint64_t> sizes;
  for (const ReadFile& each : walk.found) sizes.push_back(each.size);
  for (const SmallRead& each : plan_read_back(sizes, bound)) {
    if (!goes_on()) return std::nullopt;
    const auto bytes = files.read_range(walk.found[each.file].path, each.offset, each.length);
    if (!bytes && says_lost(bytes.error())) return flaw_of_lost(bytes.error(), checkpoint);
  }
  return std::nullopt;
}

}  // namespace reprise::agent
