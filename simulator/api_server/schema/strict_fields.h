// Strict field validation of an object that a CustomResourceDefinition describes, as `kubectl apply` asks for it: a
// field that the server would drop in silence is an error, too.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"
#include "simulator/api_server/wire/rejection.h"
#include "simulator/base/json.h"

namespace reprise::simulator {

// Checks the CEL rules of the definition, too.
enum class CelRules { LeftOut, Checked };

// A definition, read once.
class StrictDefinition {
 public:
  // Invalid: not a definition, or one without a schema.
  [[nodiscard]] static runtime::Result<StrictDefinition> read(std::string_view crd_yaml);
  // Every field that is not known, has a wrong type or a value that is not allowed, or is missing; empty: none.
  [[nodiscard]] std::vector<Cause> causes(Value object, CelRules rules = CelRules::LeftOut) const;

 private:
  struct Version;
  std::shared_ptr<const std::vector<Version>> versions_;
};

// The same, for a definition that is needed once. Invalid: the definition.
[[nodiscard]] runtime::Result<std::vector<Cause>> strict_causes(std::string_view crd_yaml, Value object);

}  // namespace reprise::simulator
