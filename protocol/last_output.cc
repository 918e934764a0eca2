#include "protocol/last_output.h"

#include <algorithm>

#include "runtime/kube/internal/archive.h"

namespace reprise::protocol {
namespace {

constexpr std::size_t kMost = 200;

struct Printed {
  std::string output;
  static void fields(auto& self, auto& field) { field("output", self.output); }
};

// "\x1b[31m" and its like, and whatever else is not for reading.
std::string readable(std::string_view line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto byte = static_cast<unsigned char>(line[at]);
    if (byte == 0x1b && at + 1 < line.size() && line[at + 1] == '[') {
      at += 2;
      while (at < line.size() && (line[at] < '@' || line[at] > '~')) ++at;
    } else if (byte >= 0x20 && byte != 0x7f) {
      text += line[at];
    }
  }
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::string cut(std::string text) {
  if (text.size() <= kMost) return text;
  constexpr std::string_view more = "...";
  std::size_t end = kMost - more.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;  // no half character
  return text.substr(0, end).append(more);
}

}  // namespace

std::string last_output_line(std::string_view termination_message) {
  const auto printed = kube::internal::decode_with(termination_message, [](const kube::internal::Field& object) {
    return kube::internal::In::read<Printed>(object);
  });
  if (!printed) return {};
  std::string_view left = printed->output;
  while (!left.empty()) {
    // A progress bar writes over itself: its last state is the line.
    const std::size_t before = left.find_last_of("\r\n");
    std::string line = readable(before == std::string_view::npos ? left : left.substr(before + 1));
    if (!line.empty()) return cut(std::move(line));
    if (before == std::string_view::npos) break;
    left = left.substr(0, before);
  }
  return {};
}

}  // namespace reprise::protocol
