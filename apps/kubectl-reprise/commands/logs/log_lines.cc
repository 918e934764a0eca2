#include "apps/kubectl-reprise/commands/logs/log_lines.h"

namespace reprise::plugin {

std::string LogLines::line(const std::string& source, std::string_view text) const {
  return (prefixes_ ? "[" + source + "] " : std::string()) + std::string(text) + "\n";
}

std::string LogLines::take(const std::string& source, std::string_view bytes) {
  std::string whole;
  std::string& rest = rests_[source];
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    rest += bytes.substr(0, end);
    whole += line(source, rest);
    rest.clear();
    bytes.remove_prefix(end + 1);
  }
  rest += bytes;
  return whole;
}

std::string LogLines::end(const std::string& source) {
  const auto found = rests_.find(source);
  if (found == rests_.end() || found->second.empty()) return {};
  const std::string last = line(source, found->second);
  rests_.erase(found);
  return last;
}

}  // namespace reprise::plugin
