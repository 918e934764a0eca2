// The names of directories say what lies in them: "runs/7/checkpoints", "data/train". Pure.
#pragma once

#include <string_view>

namespace reprise::agent {

enum class Place { Unknown, OfCheckpoints, OfData };

// The meaning of the innermost directory of the path that has one; a directory with a number in its name has none.
[[nodiscard]] Place said_of_place(std::string_view directories);

}  // namespace reprise::agent
