// How urgent a key is. The values are those that controller-runtime uses, and the label `priority` of workqueue_depth.
#pragma once

#include <array>
#include <string>

namespace reprise::runtime {

enum class Priority {
  Background = -100,  // a list brought it (at the start, or again after the history was lost): nothing new happened
  News = 0,           // someone changed something, or a time that was asked for has come
  Underway = 100,     // work begun for the key is not finished
};

inline constexpr std::array all_priorities{Priority::Underway, Priority::News, Priority::Background};

[[nodiscard]] inline std::string to_string(Priority priority) {
  return std::to_string(static_cast<int>(priority));
}

}  // namespace reprise::runtime
