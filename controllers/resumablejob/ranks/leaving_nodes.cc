#include "controllers/resumablejob/ranks/leaving_nodes.h"

#include <algorithm>

#include "controllers/resumablejob/decide/phases.h"

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

seconds pause_after_open_node(const Observation& seen, const api::AttemptEnd& end) {
  constexpr seconds at_once{30}, long_ago{600}, shortest{10};
  const api::ResumableJobStatus& status = seen.job->status;
  const auto node = seen.nodes.find(end.node);
  const bool open = node != seen.nodes.end() && takes_pods(*node->second);
  const auto& before = status.last_end;
  const bool again =
      before && before->cause == api::AttemptEndCause::Interruption && end.time < before->time + long_ago;
  const bool lasted = !status.attempt_start_time || end.time >= *status.attempt_start_time + at_once;
  if (!open || !again || lasted) return seconds(0);
  const auto between = std::chrono::duration_cast<seconds>(end.time - before->time);
  return std::clamp(between * 2, shortest, kLongestPause);
}

}  // namespace reprise::controllers::resumablejob
