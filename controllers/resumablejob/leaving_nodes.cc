#include "controllers/resumablejob/leaving_nodes.h"

namespace reprise::controllers::resumablejob {
namespace {

using std::chrono::seconds;

constexpr seconds kLongestUntilTainted{10};

}  // namespace

bool takes_pods(const kube::Node& node) {
  return !node.unschedulable && node.taint("karpenter.sh/disrupted") == nullptr;
}

std::optional<OpenNode> open_leaving_node(const Observation& seen) {
  for (const auto& node : seen.leaving) {
    if (!takes_pods(*node) || seen.now >= seen.since(Waiting::UntilTainted, node->meta.uid) + kLongestUntilTainted) {
      continue;
    }
    return OpenNode{.message = "node " + node->meta.name +
                               " is being taken away and still takes pods; the attempt begins when it does not",
                    .look_again = seen.now + seconds(1)};
  }
  for (const auto& [wait, since] : seen.first_seen) {
    if (wait.first != Waiting::ForTheScheduler || seen.now >= since + kSchedulerLag) continue;
    return OpenNode{.message =
                        "a node that is being taken away has only just been closed to pods; the attempt begins "
                        "when the scheduler has heard of it",
                    .look_again = since + kSchedulerLag};
  }
  return std::nullopt;
}

}  // namespace reprise::controllers::resumablejob
