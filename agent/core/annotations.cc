#include "agent/core/annotations.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10U;  // VolumeFiles::read ends there
constexpr std::size_t kMostBytes = std::size_t{512} << 10U;  // annotations of an object are 256 KiB at most

}  // namespace

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
  if (!*text) return std::nullopt;
  if ((*text)->size() < kReadAtOnce) return annotation_of(**text, key);
  const auto all = files.read_range(file, 0, kMostBytes);
  if (!all) return std::unexpected(all.error());
  return annotation_of(*all, key);
}

std::optional<std::string_view> unquoted(std::string_view value) {
  if (value.size() < 2 || !value.starts_with('"') || !value.ends_with('"')) return std::nullopt;
  return value.substr(1, value.size() - 2);
}

}  // namespace reprise::agent
