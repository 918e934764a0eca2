// What a trainer that failed has printed last, out of the termination message in which its agent keeps its output.
#pragma once

#include <string>
#include <string_view>

namespace reprise::protocol {

// As last_line_of() gives it. Of a message that the kubelet has cut off it is the line that the agent has named as the
// last: the end of the output is not there. Empty where the message is no record, or names none.
[[nodiscard]] std::string last_output_line(std::string_view termination_message);

}  // namespace reprise::protocol
