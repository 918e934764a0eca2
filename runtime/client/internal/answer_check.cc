#include "runtime/client/internal/answer_check.h"

#include <cstddef>

namespace reprise::runtime {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view protobuf_magic{"k8s\0", 4};

// The closing quote of the string that begins at `at`, or npos. A quote ends it unless an odd number of backslashes
// stands before it.
std::size_t end_of_text(std::string_view text, std::size_t at) {
  for (std::size_t end = text.find('"', at + 1); end != std::string_view::npos; end = text.find('"', end + 1)) {
    std::size_t backslashes = 0;
    while (text[end - 1 - backslashes] == '\\') ++backslashes;  // ends at the opening quote at the latest
    if (backslashes % 2 == 0) return end;
  }
  return std::string_view::npos;
}

// The end of the object that begins the text, or npos: counts brackets; the decoder checks what lies between them.
std::size_t end_of_object(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at = end_of_text(text, at);
        if (at == std::string_view::npos) return at;
        break;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (depth == 0) return std::string_view::npos;
        if (--depth == 0) return at + 1;
        break;
      default:
        break;
    }
  }
  return std::string_view::npos;
}

}  // namespace

bool is_whole_answer(std::string_view content_type, std::string_view body) {
  if (!content_type.empty() && !content_type.starts_with("application/")) return false;
  if (body.starts_with(protobuf_magic)) return true;
  const std::size_t begin = body.find_first_not_of(blanks);
  if (begin == std::string_view::npos || body[begin] != '{') return false;
  const std::size_t size = end_of_object(body.substr(begin));
  return size != std::string_view::npos && body.find_first_not_of(blanks, begin + size) == std::string_view::npos;
}

}  // namespace reprise::runtime
