#include "agent/formats/search/not_taken.h"

namespace reprise::agent {
namespace {

std::string listed(const Unsearched::Some& some, const std::string& why) {
  if (some.count == 0) return {};
  const std::string others = some.count > 1 ? " and " + std::to_string(some.count - 1) + " more" : "";
  return "; " + some.first + others + " (" + why + ")";
}

}  // namespace

std::string text(const NotTaken& left) {
  std::string seen = listed(left.parts, "part of the step in whose directory it lies") +
                     listed(left.data, "numbered and marked as data is, in no directory of checkpoints") +
                     listed(left.unfinished, "in a directory that is named for saves which did not end") +
                     listed(left.unlike, "NotRecognised: named like one, and not laid out as the format wants it");
  for (const auto& [why, some] : left.unjudged) seen += listed(some, std::string(why));
  return seen.empty() ? seen : "no checkpoint is complete; like one, and not taken: " + seen.substr(2);
}

std::string text_of_newer(const NotTaken& left) {
  const std::string seen =
      listed(left.newer, "written after all complete ones beside it; only the script itself can go on from there") +
      listed(left.weights, "NotRecognised: weights alone, without an optimizer's state") +
      listed(left.copies, "a copy by its name, which is left alone; it counts under the name of a step");
  return seen.empty() ? seen : "not resumed from: " + seen.substr(2);
}

std::string say_other_states(const std::vector<std::string>& paths) {
  return "NotRecognised: " + paths.front() +
         (paths.size() > 1 ? " and " + std::to_string(paths.size() - 1) + " more" : std::string()) +
         ": no checkpoint by the name; save each step under a name with the step in it (checkpoint-100.pt), or into a "
         "directory named so, with _COMPLETE written into it last";
}

std::string text_of_others(const NotTaken& left) {
  const std::string seen = listed(left.of_others, "holds a .reprise of its own: the volume of another job");
  return seen.empty() ? seen : "not entered: " + seen.substr(2);
}

}  // namespace reprise::agent
