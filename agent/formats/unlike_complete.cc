#include "agent/formats/unlike_complete.h"

#include <algorithm>
#include <set>
#include <string>

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

bool is_in_root_by_marker(const Checkpoint& each) {
  return each.format == kMarkerFormat && !each.name.contains('/');
}

}  // namespace

Checkpoints without_unlike_complete(Checkpoints found) {
  std::set<std::string> namings;
  bool marker_in_root = false;
  for (const Checkpoint& each : found) {
    if (!each.complete) continue;
    namings.insert(naming_of(each.name));
    marker_in_root = marker_in_root || is_in_root_by_marker(each);
  }
  if (namings.empty()) return found;
  std::erase_if(found, [&](const Checkpoint& each) {
    const bool alike = namings.contains(naming_of(each.name)) || (marker_in_root && is_in_root_by_marker(each));
    return !each.complete && !alike;
  });
  return found;
}

}  // namespace reprise::agent
