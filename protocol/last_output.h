// The last line that a failed trainer printed, out of the termination message in which its agent keeps its output.
#pragma once

#include <string>
#include <string_view>

namespace reprise::protocol {

// The line is as last_line_of() gives it. A message that the kubelet has cut off lacks the end of the output: its line
// is the one that the agent has named as the last. Empty where the message is no record, or names none.
[[nodiscard]] std::string last_output_line(std::string_view termination_message);

}  // namespace reprise::protocol
