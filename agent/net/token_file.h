// A service account's token, as the kubelet projects it into a pod and renews it there.
#pragma once

#include <optional>
#include <string>

namespace reprise::agent {

// Empty where the file cannot be read or holds characters that cannot stand in a header.
[[nodiscard]] std::optional<std::string> read_token(const std::string& path);

}  // namespace reprise::agent
