// The names of directories say what lies in them: "runs/7/checkpoints", "data/train". Pure.
#pragma once

#include <string_view>

namespace reprise::agent {

enum class Place { Unknown, OfCheckpoints, OfData };

// By the innermost directory of the path that says either; one with a number in its name does not.
[[nodiscard]] Place said_of_place(std::string_view directories);

}  // namespace reprise::agent
