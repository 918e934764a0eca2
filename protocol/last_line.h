// The last line that a program has printed, for one sentence about its end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reprise::protocol {

inline constexpr std::size_t kMaxLastLine = 200;  // bytes

// The last line of `output` that is not blank, without colours and control characters, cut to kMaxLastLine between
// two characters. A progress bar writes over itself: its last state is the line. Empty where nothing was printed.
[[nodiscard]] std::string last_line_of(std::string_view output);

}  // namespace reprise::protocol
