// Small files that others write and that are no part of a volume: a token, the pod's annotations, a trainer's progress.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace reprise::agent {

// At most so many bytes. Nothing where it cannot be opened or read; a pipe in its place is not waited for.
[[nodiscard]] std::optional<std::string> read_beginning(const std::string& path, std::size_t most);

}  // namespace reprise::agent
