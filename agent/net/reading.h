// How much of an answer is read, whatever the other side sends.
#pragma once

#include <cstddef>
#include <string_view>

namespace reprise::agent {

struct Reading {
  std::size_t most_bytes = 0;
  bool (*is_enough)(std::string_view received) = nullptr;
  [[nodiscard]] bool ends(std::string_view received) const {
    return received.size() >= most_bytes || is_enough(received);
  }
};

// True if the empty line has come behind which a body would begin.
[[nodiscard]] bool has_head(std::string_view received);

inline constexpr Reading kHeadAlone{.most_bytes = 8192, .is_enough = has_head};

}  // namespace reprise::agent
