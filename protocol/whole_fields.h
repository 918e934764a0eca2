// JSON whose end is missing: kubelets cut a termination message that is too long for its pod.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reprise::protocol {

// The object that `text` begins, up to its last whole field. Nothing where `text` is a whole object, no object, or
// holds no whole field. A number that the cut may have shortened is not whole.
[[nodiscard]] std::optional<std::string> up_to_last_whole_field(std::string_view text);

}  // namespace reprise::protocol
