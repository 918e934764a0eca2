// The API server as the commands see it.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/executor.h"
#include "runtime/base/write_permit.h"
#include "runtime/client/client.h"

namespace reprise::plugin {

// Chooses the cluster and the user: kubectl's own flags.
struct ClusterChoice {
  std::string kubeconfig, context, server, token, as, as_uid;
  std::vector<std::string> as_groups;
};

class Cluster {
 public:
  virtual ~Cluster() = default;
  [[nodiscard]] virtual runtime::Client& client() = 0;
  // For requests that are about no object: logs. Streams begin and end on the executor.
  [[nodiscard]] virtual runtime::Transport& transport() = 0;
  [[nodiscard]] virtual runtime::Executor& executor() = 0;
  // The context's; empty when it names none.
  [[nodiscard]] virtual std::string context_namespace() const = 0;
  // A person's command changes the cluster at once and needs nobody's lease.
  [[nodiscard]] virtual runtime::WritePermit permit() const = 0;
};

[[nodiscard]] runtime::Result<std::unique_ptr<Cluster>> connect(const ClusterChoice& choice);

}  // namespace reprise::plugin
