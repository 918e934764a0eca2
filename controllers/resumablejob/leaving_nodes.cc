#include "controllers/resumablejob/leaving_nodes.h"

namespace reprise::controllers::resumablejob {
namespace {

using std::chrono::seconds;

constexpr seconds kLongestUntilTainted{10};
// Scheduler and operator hear of pods and of nodes through watches of their own: a pod that is made in the moment in
// which the operator sees the taint is bound to the node by a scheduler that does not. Where the trainers take longer
// than this to save, nothing is waited for. Times are whole seconds: of two, one at least passes.
constexpr seconds kSchedulerLag{2};

}  // namespace

bool takes_pods(const kube::Node& node) {
  return !node.unschedulable && node.taint("karpenter.sh/disrupted") == nullptr;
}

std::optional<OpenNode> open_leaving_node(const Observation& seen) {
  for (const auto& node : seen.leaving) {
    const std::string& uid = node->meta.uid;
    if (takes_pods(*node)) {
      if (seen.now >= seen.since(Waiting::UntilTainted, uid) + kLongestUntilTainted) continue;
      return OpenNode{.node = node->meta.name,
                      .why = "is being taken away and still takes pods",
                      .look_again = seen.now + seconds(1)};
    }
    const auto tainted = seen.first_seen.find({Waiting::ForTheScheduler, uid});
    if (tainted == seen.first_seen.end() || seen.now >= tainted->second + kSchedulerLag) continue;
    return OpenNode{.node = node->meta.name,
                    .why = "is being taken away and has only just been closed to pods",
                    .look_again = tainted->second + kSchedulerLag};
  }
  return std::nullopt;
}

}  // namespace reprise::controllers::resumablejob
