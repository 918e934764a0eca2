// Carries out the actions of a pool's plan, one request each; stops at the first error.
#pragma once

#include "controllers/gpupool/decide.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::gpupool {

[[nodiscard]] runtime::Result<void> apply(runtime::ReconcileContext& context, const Settings& settings,
                                          const std::vector<Action>& actions);
// A merge patch that sets (or, without content, removes) one key of a ConfigMap.
[[nodiscard]] std::string config_map_key_patch(const std::string& key, const std::optional<std::string>& content,
                                               const std::string& resource_version);

}  // namespace reprise::controllers::gpupool
