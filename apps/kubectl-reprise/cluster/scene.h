// The objects that status and top show: pools and jobs, all of them or those that were named.
#pragma once

#include <string>
#include <vector>

#include "apps/kubectl-reprise/cluster/fetch.h"
#include "apps/kubectl-reprise/commands/status/status_view.h"

namespace reprise::plugin {

struct Found {
  std::vector<Json> pools, jobs;
  std::string pools_unseen;  // see Scene
};

// "finetune" (a job or a pool), "job/finetune", "rj/finetune", "pool/t4", "gp/t4", and kubectl's longer names.
struct ObjectName {
  enum class Kind { Any, Pool, Job };
  Kind kind = Kind::Any;
  std::string name;
};
// Invalid: names the allowed forms.
[[nodiscard]] runtime::Result<ObjectName> object_name(const std::string& word);

// `ns` empty: all namespaces; a user without the right to see pools sees the jobs alone. NotFound names the missing
// object.
[[nodiscard]] runtime::Result<Found> find_scene(runtime::Client& client, const std::string& ns,
                                                const std::vector<std::string>& names);
[[nodiscard]] runtime::Result<Scene> decoded_scene(const Found& found);

}  // namespace reprise::plugin
