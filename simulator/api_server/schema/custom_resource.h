// A kind that a CustomResourceDefinition brings. Reading one takes milliseconds: read it once for many servers.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/base/error.h"
#include "simulator/api_server/schema/kind_rules.h"

namespace reprise::simulator {

// Invalid: names the mistake. The stored version of several is taken.
[[nodiscard]] runtime::Result<std::shared_ptr<const KindRules>> read_custom_resource(std::string_view crd_yaml);

// Kinds whose definitions are not the project's: anything goes.
[[nodiscard]] std::unique_ptr<KindRules> custom_rules_without_schema(ResourceType type);

}  // namespace reprise::simulator
