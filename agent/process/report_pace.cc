#include "agent/process/report_pace.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace reprise::agent {
namespace {

constexpr std::chrono::seconds kLongestAsked{60};
constexpr std::chrono::minutes kLongestWait{5};

bool same_name(std::string_view found, std::string_view wanted) {
  return std::ranges::equal(found, wanted, [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
}

std::optional<int> number_of(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find("\r\n"), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 2, text.size()));
  return line;
}

}  // namespace

std::optional<ReportAnswer> parse_report_answer(std::string_view head) {
  const auto first = take_line(head);
  if (!first.starts_with("HTTP/1.") || first.size() < 12 || first[8] != ' ') return std::nullopt;
  const auto status = number_of(first.substr(9, 3));
  if (!status || *status < 100 || (first.size() > 12 && first[12] != ' ')) return std::nullopt;
  ReportAnswer answer{.status = *status, .retry_after = {}};
  while (!head.empty()) {
    const auto line = take_line(head);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !same_name(line.substr(0, colon), "retry-after")) continue;
    if (const auto seconds = number_of(line.substr(colon + 1))) answer.retry_after = std::chrono::seconds(*seconds);
  }
  return answer;
}

void ReportPace::answered(const ReportAnswer& answer, runtime::Instant now) {
  if (answer.status / 100 == 2) {
    wait_ = {};
    const auto asked = std::min(answer.retry_after.value_or(std::chrono::seconds(0)), kLongestAsked);
    next_ = asked > first_wait_ ? now + asked : now;
    return;
  }
  if ((answer.status == 429 || answer.status == 503) && answer.retry_after) {
    next_ = now + std::min(*answer.retry_after, kLongestAsked);
    return;
  }
  wait_ = std::clamp<std::chrono::milliseconds>(wait_ * 2, first_wait_,
                                                std::max<std::chrono::milliseconds>(kLongestWait, first_wait_));
  next_ = now + wait_;
}

}  // namespace reprise::agent
