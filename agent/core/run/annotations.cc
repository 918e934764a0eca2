#include "agent/core/run/annotations.h"

namespace reprise::agent {

using runtime::Result;

std::optional<std::string> annotation_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    if (line.starts_with(key) && line.substr(key.size()).starts_with('=')) {
      return std::string(line.substr(key.size() + 1));
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

Result<std::optional<std::string>> read_annotation(const VolumeFiles& files, const std::filesystem::path& file,
                                                   std::string_view key) {
  const auto text = files.read(file);
  if (!text) return std::unexpected(text.error());
  return *text ? annotation_of(**text, key) : std::nullopt;
}

std::optional<std::string_view> unquoted(std::string_view value) {
  if (value.size() < 2 || !value.starts_with('"') || !value.ends_with('"')) return std::nullopt;
  return value.substr(1, value.size() - 2);
}

}  // namespace reprise::agent
