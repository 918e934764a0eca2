#include "node-agent/clouds/cloud_time.h"

#include <time.h>

#include <array>

namespace reprise::node_agent {
namespace {

constexpr const char* kWritten = "%Y-%m-%dT%H:%M:%SZ";
// Names of days and months are English: this program sets no locale.
constexpr std::array<const char*, 3> kRead{kWritten, "%d %b %Y %H:%M:%S GMT", "%a, %d %b %Y %H:%M:%S GMT"};

}  // namespace

std::optional<std::chrono::sys_seconds> parse_cloud_time(std::string_view text) {
  const std::string copy(text);
  for (const char* format : kRead) {
    tm parts{};
    const char* end = ::strptime(copy.c_str(), format, &parts);
    if (end == nullptr || end != copy.c_str() + copy.size()) continue;
    return std::chrono::sys_seconds(std::chrono::seconds(::timegm(&parts)));
  }
  return std::nullopt;
}

std::string time_text(std::chrono::sys_seconds time) {
  const time_t seconds = time.time_since_epoch().count();
  tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return {};
  return {text.data(), ::strftime(text.data(), text.size(), kWritten, &parts)};
}

}  // namespace reprise::node_agent
