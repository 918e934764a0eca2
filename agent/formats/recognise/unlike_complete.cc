#include "agent/formats/recognise/unlike_complete.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/step_directory.h"

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

// "ckpt/_critic/global_step100" is called like "ckpt/_actor/global_step100", by a library: what is torn of that save
// tells that the rest of it is a half. Empty: it lies in no directory of a part.
std::string save_of_parts(const Checkpoint& each) {
  if (each.format.empty() || each.format == kMarkerFormat) return {};
  std::string save = each.format;
  bool any = false;
  for (std::string_view rest = each.name; !rest.empty();) {
    const std::size_t slash = rest.find('/');
    const bool is_part = slash != std::string_view::npos && names_part_of_a_save(rest.substr(0, slash));
    save.append("/").append(is_part ? "*" : rest.substr(0, slash));
    any = any || is_part;
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  }
  return any ? save : std::string();
}

std::set<std::string> saves_of_parts(const Checkpoints& found) {
  std::set<std::string> saves;
  for (const Checkpoint& each : found)
    if (std::string save = save_of_parts(each); each.complete && !save.empty()) saves.insert(std::move(save));
  return saves;
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
  const auto saves = saves_of_parts(found);
  std::erase_if(found, [&](const Checkpoint& each) {
    const bool alike = namings.contains(naming_when_complete(each.name)) || saves.contains(save_of_parts(each)) ||
                       (marker_in_root && is_in_root_by_marker(each) && !names_another_kind(each.name));
    return !each.complete && !alike;
  });
  return found;
}

Checkpoints without_unlike_below_root(Checkpoints found) {
  std::set<std::string> namings;
  for (const Checkpoint& each : found)
    if (each.complete) namings.insert(naming_of(each.name));
  const auto saves = saves_of_parts(found);
  std::erase_if(found, [&](const Checkpoint& each) {
    const bool may_be_anything = each.name.contains('/') || (!namings.empty() && names_another_kind(each.name));
    return !each.complete && may_be_anything && !namings.contains(naming_of(each.name)) &&
           !saves.contains(save_of_parts(each));
  });
  return found;
}

}  // namespace reprise::agent
