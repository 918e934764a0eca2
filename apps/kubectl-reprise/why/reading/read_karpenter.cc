// Karpenter's kinds.
#include "apps/kubectl-reprise/why/reading/read_common.h"
#include "apps/kubectl-reprise/why/reading/read_objects.h"

namespace reprise::plugin::why {

NodeClaim read_node_claim(const boost::json::value& object) {
  return {.meta = read_meta(object),
          .node_name = string_at(object, {"status", "nodeName"}),
          .conditions = read_conditions(object)};
}

NodePool read_node_pool(const boost::json::value& object) {
  NodePool pool{.meta = read_meta(object),
                .limits = texts_at(object, {"spec", "limits"}),
                .used = texts_at(object, {"status", "resources"}),
                .node_class = string_at(object, {"spec", "template", "spec", "nodeClassRef", "kind"}) + " " +
                              string_at(object, {"spec", "template", "spec", "nodeClassRef", "name"}),
                .taints = read_taints(object, {"spec", "template", "spec", "taints"}),
                .labels = {},
                .conditions = read_conditions(object)};
  for (const auto& [key, value] : texts_at(object, {"spec", "template", "metadata", "labels"}))
    pool.labels.push_back(key);
  for (const auto& requirement : items_at(object, {"spec", "template", "spec", "requirements"}))
    pool.labels.push_back(string_at(requirement, {"key"}));
  return pool;
}

}  // namespace reprise::plugin::why
