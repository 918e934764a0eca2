#include "agent/formats/unlike_complete.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

bool is_in_root_by_marker(const Checkpoint& each) {
  return each.format == kMarkerFormat && !each.name.contains('/');
}

// Orbax gives a step its own name when it is whole.
std::string naming_when_complete(const std::string& name) {
  constexpr std::string_view kTemporary = ".orbax-checkpoint-tmp";
  return naming_of(std::string_view(name).substr(0, name.find(kTemporary)));
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
    const bool alike = namings.contains(naming_when_complete(each.name)) ||
                       (marker_in_root && is_in_root_by_marker(each) && !names_another_kind(each.name));
    return !each.complete && !alike;
  });
  return found;
}

Checkpoints without_unlike_below_root(Checkpoints found) {
  std::set<std::string> namings;
  for (const Checkpoint& each : found)
    if (each.complete) namings.insert(naming_of(each.name));
  std::erase_if(found, [&](const Checkpoint& each) {
    const bool may_be_anything = each.name.contains('/') || (!namings.empty() && names_another_kind(each.name));
    return !each.complete && may_be_anything && !namings.contains(naming_of(each.name));
  });
  return found;
}

}  // namespace reprise::agent
