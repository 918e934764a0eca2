#include "agent/formats/verify/emptied_files.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/marker_names.h"
#include "agent/formats/names/unfinished_name.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestFile = 8;
constexpr std::size_t kMostJudged = 8;  // checkpoints of one group

bool says_no_state(std::string_view file) {
  constexpr std::array<std::string_view, 5> kEndings{".log", ".lock", ".out", ".err", ".tmp"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return file.ends_with(ending); }) ||
         std::ranges::find(kMarkers, file) != kMarkers.end() || names_unfinished_save(file);
}

// "weights-4.bin" of step 4 and "weights-2.bin" of step 2 are alike.
std::string without_step(std::string_view path, std::int64_t step) {
  const std::string number = std::to_string(step);
  std::string alike;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find_first_not_of("0123456789", at), path.size());
    if (end == at) {
      alike += path[at++];
      continue;
    }
    std::string_view digits = path.substr(at, end - at);
    const std::string_view value = digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    alike += value == number ? std::string_view("#") : digits;
    at = end;
  }
  return alike;
}

// The sizes of files, as long as they may be asked for.
class Sizes {
 public:
  using BySize = std::map<std::string, std::uint64_t>;
  Sizes(const VolumeFiles& files, const fs::path& root) : files_(files), root_(root) {}

  // Empty: not all of it could be seen. Several checkpoints are held against the same one: it is asked once.
  const std::optional<BySize>& of(const FoundCheckpoint& checkpoint) {
    const auto [known, is_new] = known_.try_emplace(checkpoint.path);
    BySize sizes;
    if (is_new && add(root_ / checkpoint.path, "", 0, sizes)) known->second = std::move(sizes);
    return known->second;
  }

 private:
  bool add(const fs::path& directory, const std::string& below, int depth, BySize& sizes) {
    const auto entries = files_.list_entries(directory);
    if (!entries || depth > kDeepestFile) return false;
    for (const DirectoryEntry& entry : *entries) {
      if (++asked_ > kMostSizes) return false;
      if (entry.kind == FileInfo::Kind::Directory) {
        if (!add(directory / entry.name, below + entry.name + "/", depth + 1, sizes)) return false;
        continue;
      }
      if (says_no_state(entry.name)) continue;
      const auto info = files_.look(directory / entry.name, Links::Follow);
      if (!info) return false;
      // A link that leads nowhere, or to a directory, is no file without a byte.
      if (*info && (*info)->kind == FileInfo::Kind::File) sizes.emplace(below + entry.name, (*info)->size);
    }
    return true;
  }

  const VolumeFiles& files_;
  const fs::path& root_;
  std::size_t asked_ = 0;
  std::map<std::string, std::optional<BySize>> known_;  // by path
};

bool any_bytes(const Sizes::BySize& sizes) {
  return std::ranges::any_of(sizes, [](const auto& each) { return each.second > 0; });
}

struct Older {
  const FoundCheckpoint* checkpoint = nullptr;
  Sizes::BySize alike;  // by paths without the number of the step
};

// `older`: newest first. What is flawed itself says nothing.
std::vector<Older> sizes_of(Sizes& sizes, std::span<FoundCheckpoint* const> older) {
  std::vector<Older> all;
  for (const FoundCheckpoint* each : older) {
    if (all.size() == kMostOlder) break;
    if (each->judgement.flaw) continue;
    const auto& known = sizes.of(*each);
    if (!known) continue;
    Older one{.checkpoint = each, .alike = {}};
    for (const auto& [path, size] : *known) one.alike.emplace(without_step(path, each->step), size);
    all.push_back(std::move(one));
  }
  return all;
}

std::optional<Flaw> held_against(const FoundCheckpoint& newest, const Emptied& seen, const std::vector<Older>& older) {
  if (older.empty()) return std::nullopt;
  for (const std::string& path : seen.empty) {
    const std::string alike = without_step(path, newest.step);
    const Older* has = nullptr;
    bool is_meant = false;
    for (const Older& each : older) {
      const auto there = each.alike.find(alike);
      if (there == each.alike.end()) continue;
      is_meant = is_meant || there->second == 0;
      if (has == nullptr) has = &each;
    }
    if (has != nullptr && !is_meant)
      return Flaw{.kind = FlawKind::Corrupt,
                  .reason = path + ": is empty, and is not in " + std::string(last_part(has->checkpoint->path))};
  }
  const std::string beside(last_part(older.front().checkpoint->path));
  const bool all_have_bytes = std::ranges::all_of(older, [](const Older& each) { return any_bytes(each.alike); });
  if (!seen.has_bytes && all_have_bytes)
    return Flaw{.kind = FlawKind::Incomplete,
                .reason = newest.judgement.mark + ": is there, and no byte beside it; in " + beside +
                          " there are some: the mark outlived what it stands for"};
  return std::nullopt;
}

using Group = std::vector<FoundCheckpoint*>;

// Groups of checkpoints in one place, and named alike; newest first.
std::vector<Group> groups_of(std::vector<FoundCheckpoint>& found, bool format_is_named) {
  std::map<std::string, Group> groups;
  for (FoundCheckpoint& each : found) {
    const bool may_be_one = format_is_named || names_checkpoint(each.path);
    if (each.judgement.flaw || each.itself.kind != FileInfo::Kind::Directory || !may_be_one) continue;
    groups[std::string(directory_of(each.path)) + "/" + naming_of(last_part(each.path))].push_back(&each);
  }
  std::vector<Group> all;
  for (auto& [naming, group] : groups) {
    std::ranges::stable_sort(group, std::ranges::greater{},
                             [](const FoundCheckpoint* each) { return order_in_time(*each); });
    if (group.size() > 1) all.push_back(std::move(group));
  }
  return all;
}

// A writer that leaves something empty for so long means it.
bool is_habit(const Group& flawed) {
  if (flawed.size() < kMostEmptied) return false;
  const auto [first, last] =
      std::ranges::minmax_element(flawed, {}, [](const FoundCheckpoint* each) { return each->judgement.completed; });
  return (*last)->judgement.completed - (*first)->judgement.completed >= kLongerThanLoss;
}

// Says whether a group is the one of the look before.
std::string fingerprint_of(const Group& group) {
  std::string said;
  for (std::size_t at = 0; at < std::min(group.size(), kMostJudged + kMostOlder); ++at)
    said += group[at]->path + "\n" + std::to_string(group[at]->judgement.completed.time_since_epoch().count()) + "\n";
  return said;
}

class Marking {
 public:
  Marking(const VolumeFiles& files, const fs::path& root, const EmptiedByPath& before)
      : root_(root), before_(before), sizes_(files, root) {}

  void mark(const Group& group) {
    const std::string all = fingerprint_of(group);
    std::vector<Emptied*> seen_of;  // checkpoints from the newest on in which something is empty
    while (seen_of.size() < std::min(group.size() - 1, kMostJudged)) {
      Emptied* const one = see(*group[seen_of.size()]);
      if (one == nullptr || (one->empty.empty() && one->has_bytes)) break;
      seen_of.push_back(one);
    }
    if (std::ranges::all_of(seen_of, [&](const Emptied* each) { return each->against == all; })) {
      for (std::size_t at = 0; at < seen_of.size(); ++at) group[at]->judgement.flaw = seen_of[at]->flaw;
      return;
    }
    Group flawed;
    // The oldest first: what is none says nothing of a newer one.
    for (std::size_t left = seen_of.size(); left-- > 0;) {
      const auto older = sizes_of(sizes_, std::span(group).subspan(left + 1));
      group[left]->judgement.flaw = held_against(*group[left], *seen_of[left], older);
      if (group[left]->judgement.flaw) flawed.push_back(group[left]);
    }
    if (is_habit(flawed))
      for (FoundCheckpoint* each : flawed) each->judgement.flaw.reset();
    for (std::size_t at = 0; at < seen_of.size(); ++at) {
      seen_of[at]->flaw = group[at]->judgement.flaw;
      seen_of[at]->against = all;
    }
  }

  EmptiedByPath seen;

 private:
  // nullptr: not all of it could be seen.
  Emptied* see(const FoundCheckpoint& checkpoint) {
    const std::string path = (root_ / checkpoint.path).string();
    Emptied now{.modified = checkpoint.itself.modified, .completed = checkpoint.judgement.completed};
    const auto known = before_.find(path);
    // An incomplete checkpoint is looked at each time: no time of a directory tells what has come to a store.
    const bool is_known = known != before_.end() && !known->second.flaw && known->second.modified == now.modified &&
                          known->second.completed == now.completed;
    if (is_known) return &(seen[path] = known->second);
    const auto& sizes = sizes_.of(checkpoint);
    if (!sizes) return nullptr;
    for (const auto& [file, size] : *sizes)
      if (size == 0) now.empty.push_back(file);
    now.has_bytes = any_bytes(*sizes);
    return &(seen[path] = std::move(now));
  }

  const fs::path& root_;
  const EmptiedByPath& before_;
  Sizes sizes_;
};

}  // namespace

EmptiedByPath mark_emptied(const VolumeFiles& files, const fs::path& root, std::vector<FoundCheckpoint>& found,
                           const EmptiedByPath& before, bool format_is_named) {
  Marking marking(files, root, before);
  for (const Group& group : groups_of(found, format_is_named)) marking.mark(group);
  return std::move(marking.seen);
}

std::optional<Flaw> flaw_of_emptied(const EmptiedByPath& known, const fs::path& path, const FoundCheckpoint& found) {
  const auto seen = known.find(path.string());
  if (seen == known.end() || seen->second.completed != found.judgement.completed) return std::nullopt;
  return seen->second.flaw;
}

}  // namespace reprise::agent
