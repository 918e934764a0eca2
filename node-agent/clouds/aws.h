// EC2: the instance metadata service, version 2. A token is got first, and again when it is no longer taken.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "node-agent/clouds/cloud.h"
#include "node-agent/look.h"

namespace reprise::node_agent {

// spot/instance-action: {"action": "terminate", "time": "2026-01-01T00:00:00Z"}
[[nodiscard]] std::expected<std::vector<Notice>, std::string> read_instance_action(std::string_view body);
// autoscaling/target-lifecycle-state: "InService"; "Terminated" where the group takes the machine away
[[nodiscard]] std::expected<std::vector<Notice>, std::string> read_lifecycle_state(std::string_view body);
// events/recommendations/rebalance: {"noticeTime": "2026-01-01T00:00:00Z"}
[[nodiscard]] std::expected<std::vector<Notice>, std::string> read_rebalance(std::string_view body);
// events/maintenance/scheduled: [{"NotBefore", "Code", "State", ...}]; what is far off, completed or canceled is none
[[nodiscard]] std::expected<std::vector<Notice>, std::string> read_maintenance(std::string_view body,
                                                                               runtime::WallTime now);

class Aws final : public Cloud {
 public:
  [[nodiscard]] Seen look(Metadata& metadata, runtime::WallTime now) override;

 private:
  // Returns false where the token was not taken.
  [[nodiscard]] bool read(Look& look, const char* document, const Reads& reads);
  [[nodiscard]] bool read_all(Look& look, runtime::WallTime now);

  std::string token_;
};

}  // namespace reprise::node_agent
