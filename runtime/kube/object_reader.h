// Reads the fields of one JSON object, for the decode() of kinds of your own:
//
//   std::expected<Greeting, DecodeError> KindOf<Greeting>::decode(std::string_view json) {
//     const ObjectReader reader(json);
//     return reader.finish(Greeting{.meta = reader.meta(), .text = reader.text("spec.text").value_or("hello")});
//   }
//
// A field is named by the members that lead to it, with dots between. An absent or null field is nothing (an empty map
// or list); a field of another type is an error, remembered with its path. Never throws.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/kube/meta.h"

namespace reprise::kube {

// One thread, and one reader of a thread at a time. `json` outlives it.
class ObjectReader {
 public:
  explicit ObjectReader(std::string_view json);
  ~ObjectReader();
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  [[nodiscard]] ObjectMeta meta() const;
  [[nodiscard]] std::optional<std::string> text(std::string_view path) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view path) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view path) const;
  [[nodiscard]] std::optional<Time> time(std::string_view path) const;
  [[nodiscard]] StringMap string_map(std::string_view path) const;
  [[nodiscard]] std::vector<std::string> strings(std::string_view path) const;
  [[nodiscard]] std::vector<Condition> conditions(std::string_view path = "status.conditions") const;

  // The first thing that was wrong.
  [[nodiscard]] std::optional<DecodeError> error() const;
  // `value`, or the first thing that was wrong.
  template <class T>
  [[nodiscard]] std::expected<T, DecodeError> finish(T value) const {
    if (auto wrong = error()) return std::unexpected(*std::move(wrong));
    return value;
  }

 private:
  struct Document;
  std::unique_ptr<Document> document_;
};

}  // namespace reprise::kube
