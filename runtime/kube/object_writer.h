// Builds JSON to send for kinds of your own: bodies of create, merge patches, status patches.
//
//   ObjectWriter(KindOf<Letter>::info(), letter.meta).text("data.greeting", letter.text).json()
//
// A field is named by the members that lead to it, with dots between.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kube/meta.h"

namespace reprise::kube {

class ObjectWriter {
 public:
  // {}
  ObjectWriter();
  // apiVersion, kind and the fields of metadata that are set.
  ObjectWriter(const KindInfo& kind, const ObjectMeta& meta);
  ~ObjectWriter();
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;

  ObjectWriter& text(std::string_view path, std::string_view value);
  ObjectWriter& integer(std::string_view path, std::int64_t value);
  ObjectWriter& boolean(std::string_view path, bool value);
  ObjectWriter& time(std::string_view path, Time value);
  ObjectWriter& string_map(std::string_view path, const StringMap& value);
  // One entry of a map, whose key may have dots in it; nothing: a merge patch removes the entry.
  ObjectWriter& entry(std::string_view path, std::string_view key, const std::optional<std::string>& value);
  ObjectWriter& strings(std::string_view path, const std::vector<std::string>& value);
  ObjectWriter& conditions(std::string_view path, const std::vector<Condition>& value);
  // Writes null, by which a merge patch removes the field.
  ObjectWriter& null(std::string_view path);

  [[nodiscard]] std::string json() const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace reprise::kube
