// Carries out the actions of a pool's plan, one request each. What the API server refuses (422, 403, a name that is
// taken) keeps nothing else from being done; any other error ends it.
#pragma once

#include "controllers/gpupool/decide.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::gpupool {

// What was refused, in the API server's words.
[[nodiscard]] runtime::Result<std::vector<std::string>> apply(runtime::ReconcileContext& context,
                                                              const Settings& settings,
                                                              const std::vector<Action>& actions);
// A merge patch that sets (or, without content, removes) one key of a ConfigMap.
[[nodiscard]] std::string config_map_key_patch(const std::string& key, const std::optional<std::string>& content,
                                               const std::string& resource_version);

}  // namespace reprise::controllers::gpupool
