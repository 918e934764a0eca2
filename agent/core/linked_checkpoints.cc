#include "agent/core/linked_checkpoints.h"

#include <algorithm>
#include <set>

namespace reprise::agent {
namespace {

using runtime::Result;
using Names = std::set<std::string>;

}  // namespace

Result<std::vector<std::string>> spare_linked(const Volume& volume, const Checkpoints& found,
                                              std::vector<std::string> pruned) {
  if (pruned.empty()) return pruned;
  const auto& root = volume.layout.root;
  auto needed = volume.files.linked_from(root, root, Depth::Direct);
  if (!needed) return std::unexpected(needed.error());
  Names followed;
  for (bool grown = true; grown;) {
    grown = false;
    std::erase_if(pruned, [&](const std::string& name) { return needed->contains(name); });
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

}  // namespace reprise::agent
