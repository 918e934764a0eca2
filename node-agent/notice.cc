#include "node-agent/notice.h"

#include "protocol/node_taints.h"

namespace reprise::node_agent {

Wording wording_of(NoticeKind kind) {
  switch (kind) {
    case NoticeKind::SpotInterruption:
      return {protocol::kSpotInterruptionTaint, "NoSchedule", "SpotInterrupted", "Warning"};
    case NoticeKind::InstanceTermination:
      return {protocol::kInstanceTerminationTaint, "NoSchedule", "InstanceTerminating", "Warning"};
    case NoticeKind::ScheduledMaintenance:
      return {protocol::kScheduledMaintenanceTaint, "NoSchedule", "ScheduledMaintenance", "Warning"};
    case NoticeKind::RebalanceRecommendation:
      break;
  }
  // The machine may stay for long: other pods may still come if there is no other place.
  return {protocol::kRebalanceTaint, "PreferNoSchedule", "SpotRebalanceRecommendation", "Normal"};
}

bool is_near(const std::optional<std::chrono::sys_seconds>& at, runtime::WallTime now) {
  return !at || *at <= now + kMaintenanceLead;
}

}  // namespace reprise::node_agent
