#include "agent/formats/checkpoint_search.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "agent/formats/checkpoint.h"
#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

using runtime::Result;
using Path = std::filesystem::path;
using Directory = SearchMemory::Directory;

bool same(const FileInfo& a, const FileInfo& b) {
  return a.kind == b.kind && a.modified == b.modified && a.size == b.size;
}

// There may be as many of these in data as there are directories.
bool is_one_by_name_alone(const FoundCheckpoint& found) {
  return found.format == kMarkerFormat && found.judgement.flaw;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

class Search {
 public:
  Search(const VolumeFiles& files, const Layouts& layouts, const Path& root, const SearchLimits& limits,
         const SearchMemory& before)
      : files_(files), layouts_(layouts), root_(root), limits_(limits), before_(before) {
    for (const auto& [path, each] : before.complete) {
      if (!newest_ || each.found.judgement.completed > before.complete.at(*newest_).found.judgement.completed)
        newest_ = path;
    }
  }

  Result<void> run() {
    const auto info = files_.look(root_, Links::Follow);
    if (!info) return std::unexpected(info.error());
    if (!*info) return std::unexpected(system_error("read " + root_.string(), ENOENT));
    auto entries = files_.list_entries(root_);
    if (!entries) return std::unexpected(entries.error());
    if (auto done = take_entries({.path = {}, .modified = (*info)->modified, .depth = 0}, *entries); !done) return done;
    for (std::size_t searched = 1; !waiting_.empty() && searched < limits_.directories;) {
      const Waiting next = std::move(waiting_.extract(waiting_.begin()).mapped());
      const std::size_t before = found.size();
      if (auto done = search(next); !done) return done;
      if (found.size() == before || is_one_by_name_alone(found.back())) ++searched;
    }
    leave_out_parts();
    leave_out_what_holds_others();
    return {};
  }

  std::vector<FoundCheckpoint> found;
  SearchMemory memory;

 private:
  // Of trainers that write a marker: what lies in a torn one is a part of it.
  void leave_out_parts() {
    std::set<std::string> marked;
    for (const FoundCheckpoint& each : found)
      if (each.format == kMarkerFormat && !each.judgement.flaw) marked.insert(naming_of(each.path));
    std::set<std::string> torn;
    for (const FoundCheckpoint& each : found)
      if (is_one_by_name_alone(each) && marked.contains(naming_of(each.path))) torn.insert(each.path + "/");
    std::erase_if(found, [&](const FoundCheckpoint& each) {
      return std::ranges::any_of(torn, [&](const std::string& above) { return each.path.starts_with(above); });
    });
  }

  // "checkpoints-v2" is where checkpoints lie, and none itself.
  void leave_out_what_holds_others() {
    std::set<std::string> holders;
    for (const FoundCheckpoint& each : found) {
      if (is_one_by_name_alone(each)) continue;
      for (std::size_t slash = each.path.rfind('/'); slash != std::string::npos && slash > 0;
           slash = each.path.rfind('/', slash - 1))
        holders.insert(each.path.substr(0, slash));
    }
    std::erase_if(
        found, [&](const FoundCheckpoint& each) { return is_one_by_name_alone(each) && holders.contains(each.path); });
  }

  // A directory below the root that was none of the root's checkpoints.
  struct Waiting {
    std::string path;
    runtime::WallTime modified;
    int depth;
  };

  Result<void> search(const Waiting& here) {
    if (const Directory* known = unchanged(here)) {
      Directory& now = memory.directories[here.path] = *known;
      ++now.looks_unchanged;
      now.directories.clear();
      for (const std::string& name : known->directories)
        if (auto waits = wait_for(here, name); !waits) return waits;
      return {};
    }
    const FileInfo info{.kind = FileInfo::Kind::Directory, .modified = here.modified};
    auto seen = look_at_checkpoint(files_, layouts_, root_ / here.path, last_part(here.path), info);
    if (!seen) return std::unexpected(seen.error());
    if (!seen->checkpoint) return take_entries(here, seen->entries);
    if (seen->checkpoint->format == kMarkerFormat && seen->checkpoint->judgement.flaw) {
      if (auto taken = take_entries(here, seen->entries); !taken) return taken;
    }
    const auto above = here.path.rfind('/');
    memory.directories[above == std::string::npos ? "" : here.path.substr(0, above)].holds_checkpoints = true;
    return keep(here.path, *std::move(seen->checkpoint));
  }

  // The time of a change may be as coarse as the time between two looks: only what was listed twice with the same time
  // is believed. Where checkpoints lie, and what is named like one, is read each time.
  [[nodiscard]] const Directory* unchanged(const Waiting& here) const {
    const auto known = before_.directories.find(here.path);
    if (known == before_.directories.end()) return nullptr;
    const Directory& directory = known->second;
    const bool may_be_believed = directory.modified == here.modified && directory.looks_unchanged > 0 &&
                                 directory.looks_unchanged < limits_.looks_until_listed_again;
    const bool may_hold_one = directory.holds_checkpoints || names_checkpoint(last_part(here.path));
    return may_be_believed && !may_hold_one ? &directory : nullptr;
  }

  Result<void> take_entries(const Waiting& here, const std::vector<DirectoryEntry>& entries) {
    const auto known = before_.directories.find(here.path);
    const bool listed_twice = known != before_.directories.end() && known->second.modified == here.modified;
    Directory& now = memory.directories[here.path];
    now.modified = here.modified;
    now.looks_unchanged = listed_twice && known->second.looks_unchanged == 0 ? 1 : 0;
    if (here.depth > 0 && entries.size() > limits_.entries) return {};
    for (const DirectoryEntry& entry : entries) {
      if (entry.name.starts_with('.')) continue;
      auto taken = entry.kind == FileInfo::Kind::Directory ? wait_for(here, entry.name)
                   : entry.kind == FileInfo::Kind::File    ? look_at_file(here, entry.name)
                                                           : Result<void>();
      if (!taken) return taken;
    }
    return {};
  }

  // A checkpoint that is as it was is taken at once.
  Result<void> wait_for(const Waiting& here, const std::string& name) {
    const std::string path = here.path.empty() ? name : here.path + "/" + name;
    const auto info = look(root_ / path, Links::Stay);
    if (!info) return std::unexpected(info.error());
    if (!*info || (*info)->kind != FileInfo::Kind::Directory) return {};  // since the listing
    const auto unchanged = take_unchanged(here, path, **info);
    if (!unchanged) return std::unexpected(unchanged.error());
    if (*unchanged) return {};
    memory.directories[here.path].directories.push_back(name);
    if (here.depth < limits_.depth) {
      const Waiting next{path, (*info)->modified, here.depth + 1};
      waiting_.emplace(Turn{next.depth, -next.modified.time_since_epoch(), path}, next);
    }
    return {};
  }

  // Only what some layout takes by its name is asked about: there may be many.
  Result<void> look_at_file(const Waiting& here, const std::string& name) {
    const std::string path = here.path.empty() ? name : here.path + "/" + name;
    const CheckpointContents by_name{
        .files = files_, .path = root_ / path, .name = name, .itself = {.kind = FileInfo::Kind::File}};
    const bool is_one = std::any_of(layouts_.begin(), layouts_.end(),
                                    [&](const auto& layout) { return layout->recognise(by_name).has_value(); });
    if (!is_one) return {};
    const auto info = look(root_ / path, Links::Stay);
    if (!info) return std::unexpected(info.error());
    if (!*info || (*info)->kind != FileInfo::Kind::File) return {};
    const auto unchanged = take_unchanged(here, path, **info);
    if (!unchanged || *unchanged) return unchanged ? Result<void>() : std::unexpected(unchanged.error());
    auto seen = look_at_checkpoint(files_, layouts_, root_ / path, name, **info);
    if (!seen) return std::unexpected(seen.error());
    if (!seen->checkpoint) return {};
    memory.directories[here.path].holds_checkpoints = true;
    return keep(path, *std::move(seen->checkpoint));
  }

  Result<bool> take_unchanged(const Waiting& here, const std::string& path, const FileInfo& info) {
    const auto known = before_.complete.find(path);
    // Files may be written anew in place, which no directory tells: the one that counts is judged at each look.
    if (path == newest_) return false;
    if (known == before_.complete.end() || !same(known->second.found.itself, info)) return false;
    const auto mark = mark_of(known->second.found);
    if (!mark) return std::unexpected(mark.error());
    if (!*mark || !same(known->second.mark, **mark)) return false;
    memory.directories[here.path].holds_checkpoints = true;
    memory.complete.insert(*known);
    found.push_back(known->second.found);
    return true;
  }

  [[nodiscard]] Result<std::optional<FileInfo>> mark_of(const FoundCheckpoint& checkpoint) const {
    const Path path = root_ / checkpoint.path;
    const std::string& mark = checkpoint.judgement.mark;
    return look(mark.empty() ? path : path / mark, Links::Follow);
  }

  // Below the root what is closed to this user is not there.
  [[nodiscard]] Result<std::optional<FileInfo>> look(const Path& path, Links links) const {
    auto info = files_.look(path, links);
    if (!info && info.error().error_class == runtime::ErrorClass::Forbidden) return std::nullopt;
    return info;
  }

  Result<void> keep(const std::string& path, FoundCheckpoint checkpoint) {
    checkpoint.path = path;
    if (!checkpoint.judgement.flaw) {
      const auto mark = mark_of(checkpoint);
      if (!mark) return std::unexpected(mark.error());
      if (*mark) memory.complete.insert_or_assign(path, SearchMemory::Complete{.found = checkpoint, .mark = **mark});
    }
    found.push_back(std::move(checkpoint));
    return {};
  }

  const VolumeFiles& files_;
  const Layouts& layouts_;
  const Path& root_;
  const SearchLimits& limits_;
  const SearchMemory& before_;
  std::optional<std::string> newest_;  // of those that were complete
  // Those nearest to the root come first, and of these what has changed last: data is older than what trainers save.
  using Turn = std::tuple<int, runtime::WallTime::duration, std::string>;
  std::map<Turn, Waiting> waiting_;
};

}  // namespace

SearchLimits no_limits(int depth) {
  constexpr auto kAll = std::numeric_limits<std::size_t>::max();
  return {.depth = depth, .directories = kAll, .entries = kAll};
}

Result<std::vector<FoundCheckpoint>> search_checkpoints(const VolumeFiles& files, const Layouts& layouts,
                                                        const Path& root, const SearchLimits& limits,
                                                        SearchMemory& memory) {
  Search search(files, layouts, root, limits, memory);
  if (auto done = search.run(); !done) return std::unexpected(done.error());
  memory = std::move(search.memory);
  return std::move(search.found);
}

}  // namespace reprise::agent
