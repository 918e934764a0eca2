#include "simulator/api_server/schema/kinds.h"

#include <utility>

namespace reprise::simulator {

Kinds::Kinds() {
  for (ResourceType& type : built_in_resources()) rules_.push_back(rules_of_built_in(std::move(type)));
}

std::optional<ResourceId> Kinds::find(std::string_view group, std::string_view plural) const {
  // Two groups have events; they are the same objects.
  if (group == "events.k8s.io" && plural == "events") group = {};
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const ResourceType& type = rules_[i]->type();
    if (type.plural == plural && type.group == group) return ResourceId{static_cast<std::uint16_t>(i)};
  }
  return {};
}

ResourceId Kinds::add(std::shared_ptr<const KindRules> rules) {
  if (const auto known = find(rules->type().group, rules->type().plural)) {
    rules_[known->index] = std::move(rules);
    return *known;
  }
  rules_.push_back(std::move(rules));
  return {static_cast<std::uint16_t>(rules_.size() - 1)};
}

void Kinds::serve(ResourceId resource, bool served) {
  if (served != this->served(resource)) ++turns_[resource.index];
}

std::uint64_t Kinds::turns(ResourceId resource) const {
  const auto found = turns_.find(resource.index);
  return found == turns_.end() ? 0 : found->second;
}

}  // namespace reprise::simulator
