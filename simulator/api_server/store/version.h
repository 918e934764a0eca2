// One version of one object: its value and, made when first asked for, its text. Shared by the store, the history and
// all watches.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "simulator/base/json.h"

namespace reprise::simulator {

class Version {
 public:
  Version(Value object, std::uint64_t number) : object_(std::move(object)), number_(number) {}

  [[nodiscard]] const Value& object() const { return object_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  // The object as JSON. The reference lives as long as this.
  [[nodiscard]] const std::string& text() const;
  // The object as a PartialObjectMetadata.
  [[nodiscard]] const std::string& metadata_text() const;

 private:
  Value object_;
  std::uint64_t number_;
  mutable std::string text_, metadata_text_;
};

using VersionPtr = std::shared_ptr<const Version>;

[[nodiscard]] inline ObjectPtr object_of(const VersionPtr& version) {
  return version ? ObjectPtr(version, &version->object()) : nullptr;
}

// {"kind":"PartialObjectMetadata", ...} around the object's metadata.
[[nodiscard]] std::string partial_metadata(const Value& object);

}  // namespace reprise::simulator
