// Compute Engine's metadata server.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "node-agent/clouds/cloud.h"

namespace reprise::node_agent {

// instance/preempted: "TRUE" or "FALSE"
[[nodiscard]] std::expected<std::vector<Notice>, std::string> read_preempted(std::string_view body);
// instance/maintenance-event: "NONE", "MIGRATE_ON_HOST_MAINTENANCE" (memory is kept), "TERMINATE_ON_HOST_MAINTENANCE"
[[nodiscard]] std::expected<std::vector<Notice>, std::string> read_maintenance_event(std::string_view body);

class Gcp final : public Cloud {
 public:
  [[nodiscard]] Seen look(Metadata& metadata, runtime::WallTime now) override;
};

}  // namespace reprise::node_agent
