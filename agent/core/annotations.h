// The pod's annotations as the downward API writes them into a file: lines of key="value", the value quoted as Go does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reprise::agent {

// The value still quoted: it is only compared with what it was.
[[nodiscard]] std::optional<std::string> annotation_of(std::string_view file_text, std::string_view key);

}  // namespace reprise::agent
