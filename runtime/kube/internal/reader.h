// Reading JSON with paths: a Field is one place in a document, present or absent. Readers never throw; the first thing
// that is wrong is remembered with its path, and everything read after it is a default. For .cc files of this folder.
#pragma once

#include <simdjson.h>

#include <concepts>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/kube/meta.h"

namespace reprise::kube::internal {

inline constexpr std::size_t kMaxDocumentBytes = std::size_t{8} << 20;  // the API server's own limit is 3 MiB
inline constexpr std::size_t kMaxDepth = 128;

// The reader's place in the document, so that an error can name it, and the first error.
class Trail {
 public:
  Trail() { steps_.reserve(64); }
  [[nodiscard]] std::uint32_t enter(std::uint32_t parent, std::string_view key);
  [[nodiscard]] std::uint32_t enter(std::uint32_t parent, std::size_t index);
  void fail(std::uint32_t step, std::string message);
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const DecodeError& error() const { return *error_; }

 private:
  struct Step {
    std::uint32_t parent = 0;
    std::uint32_t index = 0;
    std::string_view key;  // empty: an element of a list
  };
  [[nodiscard]] std::string path(std::uint32_t step) const;
  std::vector<Step> steps_{Step{}};
  std::optional<DecodeError> error_;
};

// One name of an enum value on the wire.
template <class E>
struct EnumName {
  E value;
  std::string_view text;
};

class Field {
 public:
  Field(Trail& trail, simdjson::dom::element value) : trail_(&trail), value_(value) {}

  // The member of that name; absent when this is absent. An error when this is not an object.
  [[nodiscard]] Field operator[](std::string_view key) const;
  // null counts as absent.
  [[nodiscard]] bool present() const { return value_.has_value(); }
  void fail(std::string message) const { trail_->fail(step_, std::move(message)); }

  [[nodiscard]] std::optional<std::string> text() const;
  [[nodiscard]] std::optional<std::string_view> view() const;  // into the document
  [[nodiscard]] std::optional<std::int64_t> int64() const;
  [[nodiscard]] std::optional<std::int32_t> int32() const;
  [[nodiscard]] std::optional<bool> boolean() const;
  [[nodiscard]] std::optional<Time> time() const;
  // A string, or an integer as text: quantities and IntOrString.
  [[nodiscard]] std::optional<std::string> text_or_integer() const;
  // The JSON text of this value without insignificant space; empty when absent. An error when it is not an object.
  [[nodiscard]] std::string object_text() const;

  [[nodiscard]] StringMap string_map() const;
  [[nodiscard]] StringMap quantity_map() const;
  [[nodiscard]] std::vector<std::string> strings() const;

  template <class Read>
  [[nodiscard]] auto list(Read read) const {
    std::vector<decltype(read(std::declval<const Field&>()))> out;
    simdjson::dom::array array;
    if (!open(array)) return out;
    out.reserve(array.size());
    std::size_t index = 0;
    for (const simdjson::dom::element element : array) {
      if (trail_->failed()) break;
      out.push_back(read(Field(*trail_, trail_->enter(step_, index++), element)));
    }
    return out;
  }

  template <class E, std::size_t N>
  [[nodiscard]] std::optional<E> one_of(const EnumName<E> (&names)[N]) const {
    const auto found = view();
    if (!found) return std::nullopt;
    std::string allowed;
    for (const auto& name : names) {
      if (name.text == *found) return name.value;
    }
    for (const auto& name : names) allowed.append(allowed.empty() ? "" : ", ").append(name.text);
    fail("must be one of " + allowed);
    return std::nullopt;
  }

 private:
  Field(Trail& trail, std::uint32_t step, std::optional<simdjson::dom::element> value)
      : trail_(&trail), step_(step), value_(value) {}
  [[nodiscard]] bool open(simdjson::dom::array& array) const;
  [[nodiscard]] bool open(simdjson::dom::object& object) const;

  Trail* trail_;
  std::uint32_t step_ = 0;
  std::optional<simdjson::dom::element> value_;
};

// The root of a parsed document. The parser belongs to the thread: one document per thread is open at a time.
[[nodiscard]] std::expected<simdjson::dom::element, DecodeError> open_document(std::string_view json);

// Runs `read` over the document; its result, or the first thing that was wrong.
template <class Read>
[[nodiscard]] auto decode_with(std::string_view json, Read read)
    -> std::expected<decltype(read(std::declval<const Field&>())), DecodeError> {
  const auto root = open_document(json);
  if (!root) return std::unexpected(root.error());
  Trail trail;
  const Field field(trail, *root);
  if (!root->is_object()) {
    field.fail("must be an object");
    return std::unexpected(trail.error());
  }
  auto value = read(field);
  if (trail.failed()) return std::unexpected(trail.error());
  return value;
}

}  // namespace reprise::kube::internal
