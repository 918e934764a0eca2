// Words that say what a part of a save is. Pure.
#pragma once

#include <set>
#include <string>

namespace reprise::agent {

using Words = std::set<std::string>;  // in small letters

// "model", "optim", "rng": a training's state consists of such, where `but` has them not as well.
[[nodiscard]] bool say_state(const Words& words, const Words& but);
// "best", "eval", "merged": for a metric or for people, and nothing that has to be there again.
[[nodiscard]] bool say_copy(const Words& words, const Words& but);

// "predictions", "outputs": what a script computes with a model now and then.
[[nodiscard]] bool say_output(const Words& words);

}  // namespace reprise::agent
