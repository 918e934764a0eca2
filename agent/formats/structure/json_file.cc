#include "agent/formats/structure/json_file.h"

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

}  // namespace

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
