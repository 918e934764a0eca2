#include "agent/formats/structure/json_file.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "agent/json/json.h"

namespace reprise::agent {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{64} << 20U;

struct Value {
  std::optional<Flaw> flaw;
  boost::json::value value;
};

runtime::Result<Value> read_value(const CheckedFile& file) {
  if (file.size == 0) return Value{.flaw = Flaw{FlawKind::Incomplete, file.name + ": is empty"}, .value = {}};
  if (file.size > kLargest)
    return Value{.flaw = Flaw{FlawKind::Corrupt, file.name + ": is larger than 64 MiB"}, .value = {}};
  const auto text = file.bytes(0, file.size);
  if (!text) return std::unexpected(text.error());
  auto value = parse_python_json(*text);
  if (!value) return Value{.flaw = Flaw{FlawKind::Corrupt, file.name + ": is not JSON"}, .value = {}};
  return Value{.flaw = std::nullopt, .value = std::move(*value)};
}

constexpr std::string_view kJsonSpace = " \t\r\n";

// Brackets within texts do not count.
bool leaves_open(std::string_view text) {
  std::int64_t depth = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_text && c == '\\') ++at;
    if (c == '"') in_text = !in_text;
    if (in_text) continue;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
  }
  return depth > 0 || in_text;
}

}  // namespace

Flawed check_json_ends(const CheckedFile& file) {
  constexpr std::uint64_t kReadWhole = std::uint64_t{256} << 10U, kLastBytes = 64;
  if (file.size == 0) return incomplete(file.name + ": is empty");
  const auto text = file.bytes(0, std::min(file.size, kReadWhole));
  if (!text) return std::unexpected(text.error());
  const std::size_t first = text->find_first_not_of(kJsonSpace);
  if (first == std::string::npos || ((*text)[first] != '{' && (*text)[first] != '[')) return std::nullopt;
  bool is_open = false;
  if (file.size > kReadWhole) {
    const auto end = file.bytes(file.size - kLastBytes, kLastBytes);
    if (!end) return std::unexpected(end.error());
    const std::size_t last = end->find_last_not_of(kJsonSpace);
    is_open = last == std::string::npos || ((*end)[last] != '}' && (*end)[last] != ']');
  } else {
    is_open = leaves_open(*text);
  }
  return is_open ? corrupt(file.name + ": ends before its JSON does: it was cut off") : Flawed{std::nullopt};
}

runtime::Result<JsonFile> read_json(const CheckedFile& file) {
  auto read = read_value(file);
  if (!read) return std::unexpected(read.error());
  if (read->flaw) return JsonFile{.flaw = std::move(read->flaw), .object = {}};
  if (!read->value.is_object())
    return JsonFile{.flaw = Flaw{FlawKind::Corrupt, file.name + ": is not a JSON object"}, .object = {}};
  return JsonFile{.flaw = std::nullopt, .object = std::move(read->value.get_object())};
}

runtime::Result<JsonArray> read_json_array(const CheckedFile& file) {
  auto read = read_value(file);
  if (!read) return std::unexpected(read.error());
  if (!read->flaw && !read->value.is_array()) read->flaw = Flaw{FlawKind::Corrupt, file.name + ": is not a JSON array"};
  if (read->flaw) return JsonArray{.flaw = std::move(read->flaw), .array = {}};
  return JsonArray{.flaw = std::nullopt, .array = std::move(read->value.get_array())};
}

Flawed check_json_value(const CheckedFile& file) {
  const auto read = read_value(file);
  if (!read) return std::unexpected(read.error());
  return read->flaw;
}

}  // namespace reprise::agent
