// The newest that one rank has said of itself.
#pragma once

#include "protocol/live_report.h"

namespace reprise::controllers::reports {

struct RankReport {
  protocol::LiveReport said;
  kube::Time received{};
};

}  // namespace reprise::controllers::reports
