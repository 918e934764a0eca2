// All kinds that one API server serves, by number and by name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "simulator/api_server/schema/kind_rules.h"

namespace reprise::simulator {

class Kinds {
 public:
  // Begins with the built-in kinds.
  Kinds();
  // Empty: there is none.
  [[nodiscard]] std::optional<ResourceId> find(std::string_view group, std::string_view plural) const;
  [[nodiscard]] const KindRules& rules(ResourceId resource) const { return *rules_[resource.index]; }
  [[nodiscard]] const ResourceType& type(ResourceId resource) const { return rules(resource).type(); }
  [[nodiscard]] std::size_t size() const { return rules_.size(); }
  // Serves or withdraws a kind on the wire: requests for a kind that is not served are answered 404, and its watches
  // end.
  void serve(ResourceId resource, bool served);
  [[nodiscard]] bool served(ResourceId resource) const { return turns(resource) % 2 == 0; }
  // The number of times that `served` has changed.
  [[nodiscard]] std::uint64_t turns(ResourceId resource) const;
  // A kind of the same name is replaced.
  ResourceId add(std::shared_ptr<const KindRules> rules);

 private:
  std::vector<std::shared_ptr<const KindRules>> rules_;
  std::map<std::uint16_t, std::uint64_t> turns_;  // served, not served, served again
};

}  // namespace reprise::simulator
