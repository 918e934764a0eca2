// Looks at the cloud once in a while and writes what is new: the taint first, for it ends trainers in time, then the
// Event. Blocks for as long as cloud and API server take, which their seams bound. One thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "node-agent/clouds/cloud.h"
#include "node-agent/cluster.h"
#include "node-agent/decide.h"
#include "node-agent/pace.h"
#include "runtime/base/clock.h"

namespace reprise::node_agent {

class Watch {
 public:
  using Say = std::function<void(std::string_view)>;
  static constexpr runtime::Duration kPeriod{1'000};
  static constexpr runtime::Duration kLongestPause{8'000};  // while cloud or API server does not answer

  // `node` as it was read; what others do to it later is seen when something is to be written.
  Watch(NodeView node, Cloud& cloud, Metadata& metadata, Cluster& cluster, const runtime::Clock& clock, Say say);

  // Looks once; called each kPeriod.
  void look();

 private:
  void write(const Seen& seen);
  void write_events();
  void tell(const Plan& plan);
  void tell_problem(bool& failing, const std::string& who, const std::string& problem);

  NodeView node_;
  Cloud& cloud_;
  Metadata& metadata_;
  Cluster& cluster_;
  const runtime::Clock& clock_;
  Say say_;
  std::vector<Notice> untold_;  // their Events are to be written
  Pace cloud_pace_{kPeriod, kLongestPause};
  Pace cluster_pace_{kPeriod, kLongestPause};
  bool cloud_failing_ = false, cluster_failing_ = false;
};

}  // namespace reprise::node_agent
