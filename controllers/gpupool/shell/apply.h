// Carries out the actions of a pool's plan, one request each. An action that fails keeps nothing else from being done:
// somebody's webhook for one kind is no reason to leave the others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/shell/attempts.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::gpupool {

struct Applied {
  std::vector<Obstacle> obstacles;      // in the order of the actions
  std::optional<runtime::Error> error;  // the first that is to be tried again soon
};

// The key of a deletion of a NodeClaim in the memory of attempts begins so; its name follows.
inline constexpr std::string_view kDeleteNodeClaim = "delete NodeClaim ";

[[nodiscard]] Applied apply(runtime::ReconcileContext& context, const Settings& settings, const api::GpuPool& pool,
                            const std::vector<Action>& actions, Attempts& attempts);
// Conflict: the node is of another version by now.
[[nodiscard]] runtime::Result<void> write_labels(runtime::ReconcileContext& context, const LabelNode& change);
// A merge patch that sets (or, without content, removes) one key of a ConfigMap.
[[nodiscard]] std::string config_map_key_patch(const std::string& key, const std::optional<std::string>& content,
                                               const std::string& resource_version);

}  // namespace reprise::controllers::gpupool
