// Finds a program as a shell does.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::apps {

// The executable file: at `word` itself when there is a slash in it, else the first in the directories of `path`
// ("/usr/bin:/bin"). Empty when there is none that this process may run.
[[nodiscard]] std::optional<std::filesystem::path> find_program(const std::string& word, std::string_view path);

}  // namespace reprise::apps
