#include <algorithm>
#include <string_view>

#include "agent/core/generations/halves/half_saves.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {
namespace {

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 4;
  std::string text;
  for (std::size_t at = 0; at < std::min(names.size(), kMostNamed); ++at) text += (at == 0 ? "" : ", ") + names[at];
  if (names.size() > kMostNamed) text += " and " + std::to_string(names.size() - kMostNamed) + " more";
  return text;
}

}  // namespace

void demote(Checkpoints& found, const std::vector<HalfSave>& halves) {
  std::set<std::string_view> names;
  for (const HalfSave& each : halves) names.insert(each.halves.begin(), each.halves.end());
  for (Checkpoint& each : found) {
    if (!names.contains(each.name)) continue;
    each.complete = false;
    each.time = {};
  }
}

std::set<std::string> names_of_those_over(const std::vector<HalfSave>& halves) {
  std::set<std::string> names;
  for (const HalfSave& each : halves)
    if (each.is_over) names.insert(each.halves.begin(), each.halves.end());
  return names;
}

std::set<std::string> names_in(const std::vector<HalfSave>& halves) {
  std::set<std::string> names;
  for (const HalfSave& each : halves) {
    names.insert(each.halves.begin(), each.halves.end());
    names.insert(each.lacks.begin(), each.lacks.end());
  }
  return names;
}

std::string say_halves(const std::vector<HalfSave>& halves, const std::optional<Checkpoint>& newest) {
  const std::int64_t newer_than = newest ? read_save_name(newest->name).likely.value_or(newest->step) : -1;
  std::string text;
  for (const HalfSave& each : halves) {
    if (each.step <= newer_than) continue;
    text += (text.empty() ? "" : "; ") + std::string("the save of step ") + std::to_string(each.step) +
            " is not whole and does not count: " + listed(each.halves) + (each.halves.size() > 1 ? " are" : " is") +
            " there, and nothing whole like " + listed(each.lacks);
  }
  return text;
}

}  // namespace reprise::agent
