#include "runtime/kube/internal/reader.h"

#include <limits>
#include <memory>

namespace reprise::kube::internal {

std::uint32_t Trail::enter(std::uint32_t parent, std::string_view key) {
  steps_.push_back({.parent = parent, .index = 0, .key = key});
  return static_cast<std::uint32_t>(steps_.size() - 1);
}

std::uint32_t Trail::enter(std::uint32_t parent, std::size_t index) {
  steps_.push_back({.parent = parent, .index = static_cast<std::uint32_t>(index), .key = {}});
  return static_cast<std::uint32_t>(steps_.size() - 1);
}

void Trail::fail(std::uint32_t step, std::string message) {
  if (!error_) error_ = DecodeError{.path = path(step), .message = std::move(message)};
}

std::string Trail::path(std::uint32_t step) const {
  if (step == 0) return {};
  const Step& last = steps_[step];
  std::string out = path(last.parent);
  if (last.key.empty()) return out + "[" + std::to_string(last.index) + "]";
  if (!out.empty()) out += '.';
  return out.append(last.key);
}

Field Field::operator[](std::string_view key) const {
  simdjson::dom::object object;
  const bool opened = open(object);
  const std::uint32_t step = trail_->enter(step_, key);
  if (!opened) return {*trail_, step, std::nullopt};
  simdjson::dom::element found;
  if (object.at_key(key).get(found) != simdjson::SUCCESS || found.is_null()) return {*trail_, step, std::nullopt};
  return {*trail_, step, found};
}

bool Field::open(simdjson::dom::array& array) const {
  if (!value_ || trail_->failed()) return false;
  if (value_->get(array) == simdjson::SUCCESS) return true;
  fail("must be a list");
  return false;
}

bool Field::open(simdjson::dom::object& object) const {
  if (!value_ || trail_->failed()) return false;
  if (value_->get(object) == simdjson::SUCCESS) return true;
  fail("must be an object");
  return false;
}

std::optional<std::string_view> Field::view() const {
  if (!value_ || trail_->failed()) return std::nullopt;
  std::string_view found;
  if (value_->get(found) == simdjson::SUCCESS) return found;
  fail("must be a string");
  return std::nullopt;
}

std::optional<std::string> Field::text() const {
  const auto found = view();
  return found ? std::optional(std::string(*found)) : std::nullopt;
}

std::optional<std::int64_t> Field::int64() const {
  if (!value_ || trail_->failed()) return std::nullopt;
  std::int64_t found = 0;
  if (value_->get(found) == simdjson::SUCCESS) return found;
  fail("must be an integer");
  return std::nullopt;
}

std::optional<std::int32_t> Field::int32() const {
  const auto found = int64();
  if (!found) return std::nullopt;
  if (*found >= std::numeric_limits<std::int32_t>::min() && *found <= std::numeric_limits<std::int32_t>::max()) {
    return static_cast<std::int32_t>(*found);
  }
  fail("must fit into 32 bits");
  return std::nullopt;
}

std::optional<bool> Field::boolean() const {
  if (!value_ || trail_->failed()) return std::nullopt;
  bool found = false;
  if (value_->get(found) == simdjson::SUCCESS) return found;
  fail("must be true or false");
  return std::nullopt;
}

std::optional<Time> Field::time() const {
  const auto found = view();
  if (!found) return std::nullopt;
  if (const auto time = parse_time(*found)) return time;
  fail("must be an RFC 3339 time");
  return std::nullopt;
}

std::optional<std::string> Field::text_or_integer() const {
  if (!value_ || trail_->failed()) return std::nullopt;
  std::int64_t number = 0;
  if (value_->get(number) == simdjson::SUCCESS) return std::to_string(number);
  std::string_view found;
  if (value_->get(found) == simdjson::SUCCESS) return std::string(found);
  fail("must be a string or an integer");
  return std::nullopt;
}

std::string Field::object_text() const {
  simdjson::dom::object object;
  if (!open(object)) return {};
  return simdjson::minify(object);
}

StringMap Field::string_map() const {
  StringMap out;
  simdjson::dom::object object;
  if (!open(object)) return out;
  for (const auto [key, value] : object) {
    if (value.is_null()) continue;
    const auto text = Field(*trail_, trail_->enter(step_, key), value).view();
    if (!text) break;
    out.insert_or_assign(key, *text);
  }
  return out;
}

StringMap Field::quantity_map() const {
  StringMap out;
  simdjson::dom::object object;
  if (!open(object)) return out;
  for (const auto [key, value] : object) {
    if (value.is_null()) continue;
    auto text = Field(*trail_, trail_->enter(step_, key), value).text_or_integer();
    if (!text) break;
    out.insert_or_assign(key, *text);
  }
  return out;
}

std::vector<std::string> Field::strings() const {
  return list([](const Field& item) {
    auto text = item.text();
    if (!text && !item.present()) item.fail("must be a string");
    return text.value_or("");
  });
}

namespace {

std::unique_ptr<simdjson::dom::parser> make_parser() {
  auto parser = std::make_unique<simdjson::dom::parser>(kMaxDocumentBytes);
  // The depth is kept when the parser grows.
  if (parser->allocate(std::size_t{64} << 10, kMaxDepth) != simdjson::SUCCESS) parser.reset();
  return parser;
}

}  // namespace

std::expected<simdjson::dom::element, DecodeError> open_document(std::string_view json) {
  constexpr std::size_t kKeptBytes = std::size_t{1} << 20;  // a parser that grew beyond this is given back
  thread_local std::unique_ptr<simdjson::dom::parser> kept;
  if (json.empty()) return std::unexpected(DecodeError{.path = {}, .message = "is empty"});
  if (json.size() > kMaxDocumentBytes) {
    return std::unexpected(DecodeError{.path = {}, .message = "is larger than 8 MiB"});
  }
  if (!kept || kept->capacity() > kKeptBytes) kept = make_parser();
  if (!kept) return std::unexpected(DecodeError{.path = {}, .message = "cannot be parsed: out of memory"});
  simdjson::dom::element root;
  if (const auto error = kept->parse(json.data(), json.size()).get(root); error != simdjson::SUCCESS) {
    return std::unexpected(
        DecodeError{.path = {}, .message = std::string("is not JSON: ") + simdjson::error_message(error)});
  }
  return root;
}

}  // namespace reprise::kube::internal
