#include "node-agent/watch.h"

#include <utility>

#include "node-agent/requests.h"

namespace reprise::node_agent {
namespace {

constexpr int kMostTries = 5;  // against others who change the Node at the same moment
constexpr int kAlreadyExists = 409;

}  // namespace

Watch::Watch(NodeView node, Cloud& cloud, Metadata& metadata, Cluster& cluster, const runtime::Clock& clock, Say say)
    : node_(std::move(node)),
      cloud_(cloud),
      metadata_(metadata),
      cluster_(cluster),
      clock_(clock),
      say_(std::move(say)) {}

void Watch::look() {
  if (cloud_pace_.may_try(clock_.steady())) {
    const Seen seen = cloud_.look(metadata_, clock_.wall());
    tell_problem(cloud_failing_, "the metadata service", seen.problem);
    if (seen.unwell)
      cloud_pace_.failed(clock_.steady());
    else
      cloud_pace_.worked();
    if (!decide(node_, seen).empty() && cluster_pace_.may_try(clock_.steady())) write(seen);
  }
  if (!untold_.empty() && cluster_pace_.may_try(clock_.steady())) write_events();
}

void Watch::write(const Seen& seen) {
  Refusal refusal;
  for (int tries = 0; tries < kMostTries; ++tries) {
    auto node = cluster_.read_node();
    if (!node) {
      refusal = std::move(node.error());
      break;
    }
    node_ = *std::move(node);
    const Plan plan = decide(node_, seen);
    if (plan.empty()) return cluster_pace_.worked();
    auto patched = cluster_.patch_node(taint_patch(node_, plan));
    if (patched) {
      node_ = *std::move(patched);
      tell(plan);
      untold_.insert(untold_.end(), plan.added.begin(), plan.added.end());
      tell_problem(cluster_failing_, "the API server", "");
      return cluster_pace_.worked();
    }
    refusal = std::move(patched.error());
    if (!refusal.is_conflict()) break;
  }
  cluster_pace_.failed(clock_.steady(), refusal.retry_after);
  tell_problem(cluster_failing_, "the API server", refusal.why);
}

void Watch::write_events() {
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.wall());
  while (!untold_.empty()) {
    const auto written = cluster_.create_event(event_of(node_, untold_.front(), now));
    if (!written && written.error().status != kAlreadyExists) {
      if (!written.error().is_final()) {
        cluster_pace_.failed(clock_.steady(), written.error().retry_after);
        return tell_problem(cluster_failing_, "the API server", written.error().why);
      }
      say_("no Event of it: " + written.error().why);
    }
    untold_.erase(untold_.begin());
  }
  cluster_pace_.worked();
  tell_problem(cluster_failing_, "the API server", "");
}

void Watch::tell(const Plan& plan) {
  for (const Notice& each : plan.added) {
    const std::string value = value_of(each);
    say_("Node " + node_.name + " bears the taint " + std::string(wording_of(each.kind).taint) +
         (value.empty() ? "" : "=" + value) + " now: " + each.said);
  }
  for (const NoticeKind each : plan.withdrawn) {
    say_("the taint " + std::string(wording_of(each).taint) + " was taken off Node " + node_.name +
         ": the cloud says nothing of it any more");
  }
}

void Watch::tell_problem(bool& failing, const std::string& who, const std::string& problem) {
  const bool failed_before = std::exchange(failing, !problem.empty());
  if (!problem.empty() && !failed_before) say_(who + " fails, and is tried again: " + problem);
  if (problem.empty() && failed_before) say_(who + " answers again");
}

}  // namespace reprise::node_agent
