// What a trainer that failed has printed last, out of the termination message in which its agent keeps its output.
#pragma once

#include <string>
#include <string_view>

namespace reprise::protocol {

// The last line that is not blank, without colours and control characters, cut to 200 bytes; empty where the message
// is no record, holds no output, or was cut off by the kubelet.
[[nodiscard]] std::string last_output_line(std::string_view termination_message);

}  // namespace reprise::protocol
