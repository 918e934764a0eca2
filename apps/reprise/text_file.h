// Whole files as text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/base/error.h"

namespace reprise::apps {

// NotFound when it cannot be read.
[[nodiscard]] runtime::Result<std::string> text_of_file(const std::filesystem::path& file);
// Terminal when it could not be written, all of it.
[[nodiscard]] runtime::Result<void> write_text_file(const std::filesystem::path& file, std::string_view text);
// Replaces a file, whole or not at all: written beside it and renamed over it, with its mode, and its owner where that
// is allowed. Links are followed. Terminal when it could not be written; the file is as it was.
[[nodiscard]] runtime::Result<void> replace_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace reprise::apps
