// The pod's annotations as the downward API writes them into a file: lines of key="value", the value quoted as Go does.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "agent/volume/volume_files.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// The value still quoted.
[[nodiscard]] std::optional<std::string> annotation_of(std::string_view file_text, std::string_view key);
// The same of what is in the file now; nothing where there is no file yet.
[[nodiscard]] runtime::Result<std::optional<std::string>> read_annotation(const VolumeFiles& files,
                                                                          const std::filesystem::path& file,
                                                                          std::string_view key);
// Unquotes a value in which nothing needs an escape; empty: it is not quoted, such as half of one.
[[nodiscard]] std::optional<std::string_view> unquoted(std::string_view value);

}  // namespace reprise::agent
