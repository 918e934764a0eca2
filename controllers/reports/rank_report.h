// The newest report of one rank.
#pragma once

#include "protocol/common_checkpoint.h"
#include "protocol/live_report.h"

namespace reprise::controllers::reports {

struct RankReport {
  protocol::LiveReport said;
  kube::Time received{};
  // The durable checkpoint that it reported before the one in `said`: ranks save, and report, at different moments.
  std::optional<protocol::ListedCheckpoint> saved_before = {};
};

}  // namespace reprise::controllers::reports
