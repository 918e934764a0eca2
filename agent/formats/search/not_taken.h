// Entries that a search has seen, that are like a checkpoint and count for none: where nothing is complete, people are
// told of it. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/search/unsearched.h"

namespace reprise::agent {

struct NotTaken {
  Unsearched::Some parts;       // in the directory of a step (names/step_directory.h)
  Unsearched::Some data;        // numbered and marked as data is (nested_checkpoints.h)
  Unsearched::Some unlike;      // named like one, and no layout that was asked for has taken it
  Unsearched::Some unfinished;  // places where unfinished saves lie (names/unfinished_name.h)
  std::map<std::string_view, Unsearched::Some> unjudged;  // by the reason (names/unjudged_name.h)
  // Written anew after every complete one beside it, in a layout that nobody here knows ("last.pth.tar").
  Unsearched::Some newer;
  Unsearched::Some weights;  // files without an optimizer's state (weights_alone.h)
  Unsearched::Some copies;   // copies of a checkpoint, by their names (names/copied_name.h)
  // Directories with a `.reprise` of their own, which were not entered.
  Unsearched::Some of_others;
};

// Empty: nothing of that kind was seen.
[[nodiscard]] std::string text(const NotTaken& left);

// The text of `newer`, `weights` and `copies`, which people are told of whether or not something is complete.
[[nodiscard]] std::string text_of_newer(const NotTaken& left);

// The same of the volumes of other jobs.
[[nodiscard]] std::string text_of_others(const NotTaken& left);

// The text of files that may hold a training's state, and are not named as one; `paths` is not empty.
[[nodiscard]] std::string say_other_states(const std::vector<std::string>& paths);

}  // namespace reprise::agent
