#include "runtime/cache/line_framer.h"

namespace reprise::runtime {
namespace {

bool deliver(std::string_view line, const std::function<bool(std::string_view)>& to) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line.empty() || to(line);
}

}  // namespace

bool LineFramer::feed(std::string_view bytes, const std::function<bool(std::string_view)>& line) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      if (partial_.size() + bytes.size() > limit_) return false;
      partial_.append(bytes);
      return true;
    }
    bool go_on = true;
    if (partial_.empty()) {
      go_on = deliver(bytes.substr(0, end), line);
    } else {
      if (partial_.size() + end > limit_) return false;
      partial_.append(bytes.substr(0, end));
      std::string whole;
      whole.swap(partial_);
      go_on = deliver(whole, line);
      if (go_on && whole.capacity() <= (64U << 10U)) {
        whole.clear();
        partial_.swap(whole);
      }
    }
    if (!go_on) return true;
    bytes.remove_prefix(end + 1);
  }
  return true;
}

void LineFramer::reset() {
  partial_.clear();
}

}  // namespace reprise::runtime
