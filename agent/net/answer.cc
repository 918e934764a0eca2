#include "agent/net/answer.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace reprise::agent {
namespace {

bool same_word(std::string_view found, std::string_view wanted) {
  return std::ranges::equal(found, wanted, [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

template <class Number>
std::optional<Number> number_of(std::string_view text, int base = 10) {
  text = trimmed(text);
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (problem != std::errc{} || end != text.data() + text.size() || text.starts_with('-')) return std::nullopt;
  return number;
}

std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find("\r\n"), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 2, text.size()));
  return line;
}

void note(AnswerHead& head, std::string_view name, std::string_view value) {
  if (same_word(name, "retry-after")) {
    if (const auto seconds = number_of<int>(value)) head.retry_after = std::chrono::seconds(*seconds);
  } else if (same_word(name, "content-length")) {
    head.length = number_of<std::size_t>(value);
  } else if (same_word(name, "transfer-encoding")) {
    head.chunked = same_word(trimmed(value), "chunked");
  }
}

// Empty while the last chunk has not come, or where it is none of the kind.
std::optional<std::string> without_chunks(std::string_view text) {
  std::string body;
  for (;;) {
    const auto end = text.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    const auto line = text.substr(0, end);
    const auto size = number_of<std::size_t>(line.substr(0, std::min(line.find(';'), line.size())), 16);
    text.remove_prefix(end + 2);
    if (!size || *size > text.size()) return std::nullopt;
    if (*size == 0) return body;
    body += text.substr(0, *size);
    text.remove_prefix(*size);
    if (!text.starts_with("\r\n")) return std::nullopt;
    text.remove_prefix(2);
  }
}

bool has_no_body(int status) {
  return status == 204 || status == 304;
}

}  // namespace

std::optional<AnswerHead> parse_answer_head(std::string_view head) {
  const auto first = take_line(head);
  if (!first.starts_with("HTTP/1.") || first.size() < 12 || first[8] != ' ') return std::nullopt;
  const auto status = number_of<int>(first.substr(9, 3));
  if (!status || *status < 100 || (first.size() > 12 && first[12] != ' ')) return std::nullopt;
  AnswerHead answer{.status = *status};
  while (!head.empty()) {
    const auto line = take_line(head);
    if (line.empty()) break;
    const auto colon = line.find(':');
    if (colon != std::string_view::npos) note(answer, line.substr(0, colon), line.substr(colon + 1));
  }
  return answer;
}

std::optional<Answer> parse_answer(std::string_view received) {
  if (!has_head(received)) return std::nullopt;
  const auto head = parse_answer_head(received);
  if (!head) return std::nullopt;
  received.remove_prefix(received.find("\r\n\r\n") + 4);
  Answer answer{.status = head->status, .body = {}, .retry_after = head->retry_after};
  if (has_no_body(head->status)) return answer;
  if (head->chunked) {
    auto body = without_chunks(received);
    if (!body) return std::nullopt;
    answer.body = *std::move(body);
    return answer;
  }
  if (head->length && *head->length > received.size()) return std::nullopt;
  answer.body = received.substr(0, head->length.value_or(received.size()));
  return answer;
}

bool is_whole(std::string_view received) {
  const auto end = received.find("\r\n\r\n");
  if (end == std::string_view::npos) return false;
  const auto head = parse_answer_head(received.substr(0, end + 2));
  if (!head || has_no_body(head->status)) return true;
  const auto body = received.substr(end + 4);
  if (head->chunked) return body.ends_with("0\r\n\r\n") && without_chunks(body).has_value();
  return head->length && body.size() >= *head->length;
}

}  // namespace reprise::agent
