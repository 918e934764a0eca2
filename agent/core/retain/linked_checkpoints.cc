#include "agent/core/retain/linked_checkpoints.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

namespace reprise::agent {
namespace {

using runtime::Result;
using Names = std::set<std::string>;

// The directories below the root in which a checkpoint lies.
Names folders_of(const std::string& checkpoint) {
  Names folders;
  for (std::size_t slash = checkpoint.find('/'); slash != std::string::npos; slash = checkpoint.find('/', slash + 1))
    folders.insert(checkpoint.substr(0, slash));
  return folders;
}

}  // namespace

bool is_reached(const std::string& checkpoint, const Names& links) {
  if (links.contains(checkpoint)) return true;
  if (std::ranges::any_of(folders_of(checkpoint), [&](const std::string& folder) { return links.contains(folder); }))
    return true;
  const std::string below = checkpoint + "/";
  const auto next = links.lower_bound(below);
  return next != links.end() && next->starts_with(below);
}

Result<std::vector<std::string>> spare_linked(const Volume& volume, const Checkpoints& found,
                                              std::vector<std::string> pruned, const Names& more_folders) {
  if (pruned.empty()) return pruned;
  const auto& root = volume.layout.root;
  auto needed = volume.files.linked_from(root, root, Depth::Direct);
  if (!needed) return std::unexpected(needed.error());
  Names folders = more_folders;
  for (const Checkpoint& each : found) folders.merge(folders_of(each.name));
  for (const std::string& folder : folders) {
    auto more = volume.files.linked_from(root, root / folder, Depth::Direct);
    if (!more) return std::unexpected(more.error());
    needed->merge(*more);
  }
  Names followed;
  for (bool grown = true; grown;) {
    grown = false;
    std::erase_if(pruned, [&](const std::string& name) { return is_reached(name, *needed); });
    for (const Checkpoint& each : found) {
      const bool stays = std::ranges::find(pruned, each.name) == pruned.end();
      if (!stays || !followed.insert(each.name).second) continue;
      auto more = volume.files.linked_from(root, root / each.name, Depth::Below);
      if (!more) return std::unexpected(more.error());
      needed->merge(*more);
      grown = true;
    }
  }
  return pruned;
}

Result<Names> needed_by_complete(const Volume& volume, const Checkpoints& found,
                                 const std::vector<std::string>& names) {
  std::vector<std::string> to_follow;
  for (const Checkpoint& each : found) {
    const bool is_named = std::ranges::find(names, each.name) != names.end();
    if (each.complete && !names.empty() && !is_named) to_follow.push_back(each.name);
  }
  Names needed;
  while (!to_follow.empty()) {
    const std::string name = std::move(to_follow.back());
    to_follow.pop_back();
    const auto links = volume.files.linked_from(volume.layout.root, volume.layout.root / name, Depth::Below);
    if (!links) return std::unexpected(links.error());
    for (const std::string& each : names) {
      if (is_reached(each, *links) && needed.insert(each).second) to_follow.push_back(each);
    }
  }
  return needed;
}

Result<std::vector<Deletion>> order_of_deletion(const Volume& volume, const std::vector<std::string>& pruned) {
  std::vector<Deletion> left, ordered;
  for (const std::string& name : pruned | std::views::reverse) {
    left.push_back({.name = name, .leads_to = {}});
    if (pruned.size() == 1) break;
    auto links = volume.files.linked_from(volume.layout.root, volume.layout.root / name, Depth::Below);
    if (!links) return std::unexpected(links.error());
    std::erase_if(*links, [&](const std::string& link) { return is_reached(name, {link}); });
    left.back().leads_to = std::move(*links);
  }
  while (!left.empty()) {
    const auto needed = [&](const Deletion& one) {
      return std::ranges::any_of(left, [&](const Deletion& other) { return is_reached(one.name, other.leads_to); });
    };
    auto next = std::ranges::find_if_not(left, needed);
    if (next == left.end()) next = left.begin();  // the rest lead to each other
    ordered.push_back(std::move(*next));
    left.erase(next);
  }
  return ordered;
}

}  // namespace reprise::agent
