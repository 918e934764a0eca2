#include "runtime/kube/protobuf/protobuf.h"

#include <simdjson.h>

#include <exception>
#include <limits>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

namespace reprise::kube::protobuf {

namespace {

constexpr std::string_view kMagic{"k8s\0", 4};

// Carries an error to the one place that catches.
struct Broken final : std::exception {
  explicit Broken(DecodeError what_is_wrong) : error(std::move(what_is_wrong)) {}
  DecodeError error;
};

// The length of the well-formed UTF-8 sequence that `text` begins with; 0 when it begins with none.
std::size_t sequence(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return length <= text.size() && simdjson::validate_utf8(text.data(), length) ? length : 0;
}

void append_repaired(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence(text);
    out.append(length == 0 ? std::string_view("\uFFFD") : text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

void assign_text(std::string& out, std::string_view text) {
  if (simdjson::validate_utf8(text.data(), text.size())) {
    out.assign(text);
  } else {
    out.clear();
    append_repaired(out, text);
  }
}

// The two fields of a map's entry; either may be missing.
template <class Key, class Value>
void read_entry(Message entry, Key& key, const Value& value) {
  while (entry.next()) {
    if (entry.field() == 1) entry.text(key);
    if (entry.field() == 2) value(entry);
  }
}

}  // namespace

bool Message::next() {
  if (rest_.empty()) return false;
  try {
    protozero::pbf_reader reader(rest_.data(), rest_.size());
    reader.next();
    field_ = reader.tag();
    switch (reader.wire_type()) {
      case protozero::pbf_wire_type::varint:
        wire_ = Wire::Number;
        number_ = reader.get_uint64();
        break;
      case protozero::pbf_wire_type::length_delimited: {
        wire_ = Wire::Bytes;
        const protozero::data_view value = reader.get_view();
        value_ = {value.data(), value.size()};
        break;
      }
      case protozero::pbf_wire_type::fixed32:
      case protozero::pbf_wire_type::fixed64:
      case protozero::pbf_wire_type::unknown:
        wire_ = Wire::Other;
        reader.skip();
    }
    rest_.remove_prefix(rest_.size() - reader.length());
    return true;
  } catch (const protozero::exception& broken) {
    fail(std::string("is not protobuf: ") + broken.what());
  }
}

std::string_view Message::bytes() const {
  if (wire_ != Wire::Bytes) fail("must be text, bytes or a message");
  return value_;
}

std::string Message::text() const {
  std::string out;
  text(out);
  return out;
}

void Message::text(std::string& out) const {
  assign_text(out, bytes());
}

void Message::text(Text& out) const {
  if (simdjson::validate_utf8(bytes().data(), bytes().size())) {
    out = bytes();
  } else {
    out = text();
  }
}

std::int64_t Message::int64() const {
  if (wire_ != Wire::Number) fail("must be a number");
  return static_cast<std::int64_t>(number_);
}

std::int32_t Message::int32() const {
  const std::int64_t value = int64();
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) {
    fail("must fit into 32 bits");
  }
  return static_cast<std::int32_t>(value);
}

bool Message::boolean() const {
  return int64() != 0;
}

std::optional<Time> Message::time() const {
  if (bytes().empty()) return std::nullopt;
  // The years that RFC 3339 can write, which are all that the API server lets in.
  constexpr std::int64_t kFirst = -62'167'219'200;
  constexpr std::int64_t kLast = 253'402'300'799;
  std::int64_t seconds = 0, nanoseconds = 0;
  for (Message inner = message(); inner.next();) {
    if (inner.field() == 1) seconds = inner.int64();
    if (inner.field() == 2) nanoseconds = inner.int32();
  }
  if (seconds < kFirst || seconds > kLast || nanoseconds < 0 || nanoseconds > 999'999'999) fail("must be a time");
  return Time{std::chrono::seconds{seconds} + std::chrono::microseconds{nanoseconds / 1000}};
}

std::string Message::quantity() const {
  std::string value;
  for (Message inner = message(); inner.next();) {
    if (inner.field() == 1) inner.text(value);
  }
  return value;
}

void Message::entry(StringMap& map) const {
  Text key, value;
  read_entry(message(), key, [&](const Message& field) { field.text(value); });
  map.insert_or_assign(std::move(key), std::move(value));
}

void Message::quantity_entry(StringMap& map) const {
  auto [key, value] = quantity_entry();
  map.insert_or_assign(std::move(key), std::move(value));
}

std::pair<std::string, std::string> Message::quantity_entry() const {
  std::pair<std::string, std::string> found;
  read_entry(message(), found.first, [&](const Message& field) { found.second = field.quantity(); });
  return found;
}

Message Message::message() const {
  return {bytes(), *this};
}

void Message::fail(std::string message) const {
  throw Broken({.path = path(), .message = std::move(message)});
}

std::string Message::path() const {
  const std::string own = std::to_string(field_);
  return parent_ == nullptr ? own : parent_->path() + "." + own;
}

void read(const Message& object, ObjectMeta& meta) {
  for (Message field = object.message(); field.next();) {
    switch (field.field()) {
      case 1:
        field.text(meta.name);
        break;
      case 3:
        field.text(meta.namespace_);
        break;
      case 5:
        field.text(meta.uid);
        break;
      case 6:
        meta.resource_version = field.text();
        break;
      case 7:
        meta.generation = field.int64();
        break;
      case 8:
        meta.creation_timestamp = field.time().value_or(Time{});
        break;
      case 9:
        meta.deletion_timestamp = field.time();
        break;
      case 10:
        meta.deletion_grace_period_seconds = field.int64();
        break;
      case 11:
        field.entry(meta.labels);
        break;
      case 12:
        field.entry(meta.annotations);
        break;
      case 13:
        read(field, meta.owner_references.emplace_back());
        break;
      case 14:
        field.text(meta.finalizers.emplace_back());
        break;
      default:
        break;
    }
  }
  compact(meta);
}

void read(const Message& list, OwnerReference& owner) {
  for (Message field = list.message(); field.next();) {
    switch (field.field()) {
      case 1:
        field.text(owner.kind);
        break;
      case 3:
        field.text(owner.name);
        break;
      case 4:
        field.text(owner.uid);
        break;
      case 5:
        field.text(owner.api_version);
        break;
      case 6:
        owner.controller = field.boolean();
        break;
      case 7:
        owner.block_owner_deletion = field.boolean();
        break;
      default:
        break;
    }
  }
}

bool is_envelope(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

std::expected<Envelope, DecodeError> open_envelope(std::string_view bytes) {
  if (!is_envelope(bytes)) return std::unexpected(DecodeError{.path = {}, .message = "is not Kubernetes' protobuf"});
  const auto read_envelope = [](Message& unknown, Envelope& envelope) {
    while (unknown.next()) {
      if (unknown.field() == 2) envelope.object = unknown.bytes();
      if (unknown.field() == 3 && !unknown.bytes().empty()) unknown.fail("must be empty: no encoding is known");
      if (unknown.field() != 1) continue;
      for (Message type = unknown.message(); type.next();) {
        if (type.field() == 1) envelope.api_version = type.bytes();
        if (type.field() == 2) envelope.kind = type.bytes();
      }
    }
  };
  return decode<Envelope>(bytes.substr(kMagic.size()), read_envelope, std::string_view::npos);
}

std::optional<DecodeError> detail::run(std::string_view bytes, std::size_t limit, Step step, void* context) {
  if (bytes.size() > limit) {
    return DecodeError{.path = {}, .message = "is larger than " + std::to_string(limit >> 20U) + " MiB"};
  }
  Message object(bytes);
  try {
    step(object, context);
  } catch (Broken& broken) {
    return std::move(broken.error);
  }
  return std::nullopt;
}

}  // namespace reprise::kube::protobuf
