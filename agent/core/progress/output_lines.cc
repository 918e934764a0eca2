#include "agent/core/progress/output_lines.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "agent/core/record/utf8.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kKept = 16 * 1024;

// The place of the wanted character in `text`, from `from` on; its size where there is none.
std::size_t find(std::string_view text, char wanted, std::size_t from) {
  return std::min(text.find(wanted, from), text.size());
}

// "\x1b[31m" and what else a terminal would not show.
std::string visible(std::string_view line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto byte = static_cast<unsigned char>(line[at]);
    if (line.substr(at).starts_with("\x1b[")) {
      at += 2;
      while (at < line.size() && (line[at] < '@' || line[at] > '~')) ++at;
    } else if (byte >= 0x20 && byte != 0x7F) {
      text += line[at];
    } else if (byte == '\t') {
      text += ' ';
    }
  }
  return as_utf8(text);
}

std::string_view last_drawn(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  return line.substr(line.rfind('\r') + 1);
}

}  // namespace

bool OutputLines::may_look(runtime::Instant now) {
  if (now - second_ >= std::chrono::seconds(1)) {
    second_ = now;
    looked_at_ = 0;
  }
  return looked_at_ < kPerSecond;
}

void OutputLines::take(std::string_view bytes, runtime::Instant now,
                       const std::function<void(std::string_view)>& line) {
  std::size_t at = 0, feed = find(bytes, '\n', 0), back = find(bytes, '\r', 0);
  while (at < bytes.size()) {
    if (!may_look(now)) {
      begun_.clear();
      inside_ = bytes.back() != '\n' && bytes.back() != '\r';
      return;
    }
    const std::size_t end = std::min(feed, back);
    const std::string_view part = bytes.substr(at, end - at);
    if (!inside_) begun_ += part.substr(0, kLongest - std::min(begun_.size(), kLongest));
    if (end == bytes.size()) return;
    if (!begun_.empty()) {
      ++looked_at_;
      line(begun_);
    }
    begun_.clear();
    inside_ = false;
    at = end + 1;
    if (feed < at) feed = find(bytes, '\n', at);
    if (back < at) back = find(bytes, '\r', at);
  }
}

void OutputTail::take(std::string_view bytes) {
  if (bytes.size() >= kKept) {
    kept_ = bytes.substr(bytes.size() - kKept);
    return;
  }
  if (kept_.size() + bytes.size() > 2 * kKept) kept_.erase(0, kept_.size() - kKept);
  kept_ += bytes;
}

std::string OutputTail::text(std::size_t lines, std::size_t bytes) const {
  std::vector<std::string> found;
  std::size_t used = 0;
  std::string_view left = kept_;
  while (!left.empty() && found.size() < lines) {
    if (left.ends_with('\n')) left.remove_suffix(1);
    const std::size_t begin = left.rfind('\n') + 1;  // 0: it is the first that is kept
    std::string line = visible(last_drawn(left.substr(begin)));
    if (used + line.size() + 1 > bytes) {
      if (found.empty()) found.push_back(as_utf8(line.substr(line.size() - std::min(line.size(), bytes))));
      break;
    }
    used += line.size() + 1;
    found.push_back(std::move(line));
    left = left.substr(0, begin);
  }
  std::string text;
  for (auto line = found.rbegin(); line != found.rend(); ++line) text += (text.empty() ? "" : "\n") + *line;
  return text;
}

}  // namespace reprise::agent
