#include "apps/reprise/find_program.h"

#include <unistd.h>

#include <ranges>
#include <system_error>

namespace reprise::apps {
namespace {

bool runs(const std::filesystem::path& file) {
  std::error_code problem;
  return std::filesystem::is_regular_file(file, problem) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::filesystem::path> find_program(const std::string& word, std::string_view path) {
  if (word.find('/') != std::string::npos)
    return runs(word) ? std::optional<std::filesystem::path>(word) : std::nullopt;
  for (const auto part : std::views::split(path, ':')) {
    // Like execvp: an empty directory is the present one.
    const std::filesystem::path directory(std::string(part.begin(), part.end()));
    const auto file = directory.empty() ? "." / std::filesystem::path(word) : directory / word;
    if (!word.empty() && runs(file)) return file;
  }
  return std::nullopt;
}

}  // namespace reprise::apps
