// Reading a file of configuration.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/base/error.h"

namespace reprise::runtime {

// Terminal with the path when it cannot be read.
[[nodiscard]] Result<std::string> read_config_file(const std::filesystem::path& path);

}  // namespace reprise::runtime
