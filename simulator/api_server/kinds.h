// All kinds that one API server serves, by number and by name.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "simulator/api_server/kind_rules.h"

namespace reprise::simulator {

class Kinds {
 public:
  // With the built-in ones.
  Kinds();
  // Nothing: there is none.
  [[nodiscard]] std::optional<ResourceId> find(std::string_view group, std::string_view plural) const;
  [[nodiscard]] const KindRules& rules(ResourceId resource) const { return *rules_[resource.index]; }
  [[nodiscard]] const ResourceType& type(ResourceId resource) const { return rules(resource).type(); }
  // A kind of the same name is replaced.
  ResourceId add(std::shared_ptr<const KindRules> rules);

 private:
  std::vector<std::shared_ptr<const KindRules>> rules_;
};

}  // namespace reprise::simulator
