// The whole text of a file, for files that are small. A read that fails is a value: the iterators of a stream throw it,
// and files below /proc fail at any moment with the process, or the descriptor, that they tell of.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <system_error>

namespace reprise::runtime {

// Any thread.
[[nodiscard]] std::expected<std::string, std::error_code> file_text(const std::filesystem::path& file);

}  // namespace reprise::runtime
