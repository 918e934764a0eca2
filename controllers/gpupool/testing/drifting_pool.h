// A pool whose nodes drift, for tests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool::testing {

inline constexpr std::chrono::seconds kLately(30);

// All ranks train since an hour; the newest checkpoint was reported kLately ago.
inline api::ResumableJob training_job(const std::string& name, kube::Time now) {
  api::ResumableJob job = controllers::testing::MakeJob(name).get();
  job.status.attempt = 1;
  job.status.ready_attempt = 1;
  job.status.attempt_start_time = now - std::chrono::hours(1);
  job.status.members = {api::RankStatus{}};
  job.status.progress.emplace();
  job.status.progress->checkpoint = api::LiveCheckpointStatus{.time = now - kLately, .verified = true};
  return job;
}

inline kube::Pod pod_on(const std::string& node, std::string name, std::string owner_kind, std::string owner_uid) {
  kube::Pod pod;
  pod.meta.name = std::move(name);
  pod.meta.namespace_ = "vision";
  pod.node_name = node;
  pod.phase = kube::PodPhase::Running;
  kube::OwnerReference owner;
  if (owner_kind == "ResumableJob") owner.api_version = "reprise.dev/v1alpha1";
  owner.kind = std::move(owner_kind);
  owner.uid = std::move(owner_uid);
  owner.controller = true;
  pod.meta.owner_references = {owner};
  return pod;
}

// Its NodePool is in sync and ready. Node i is "node-<i>", with NodeClaim "claim-<i>".
class Drifting {
 public:
  explicit Drifting(int nodes = 1) : Drifting(nodes, [](auto&) {}) {}
  Drifting(int nodes, auto&& change) {
    seen_.now = controllers::testing::kStart;
    seen_.pool = controllers::testing::MakePool("t4").with(change).get();
    serve();
    for (int i = 0; i < nodes; ++i) add_node();
  }
  // The NodePools are as the pool wants them now.
  void serve() {
    const auto node_pools = desired_node_pools(*seen_.pool);
    for (const api::NodePool& wanted : node_pools.value()) {
      auto made = std::make_shared<api::NodePool>(wanted);
      made->conditions = {{"Ready", "True", "Ready", ""}};
      seen_.node_pools[wanted.meta.name] = std::move(made);
    }
  }
  void add_node(bool drifted = true) {
    const std::string number = std::to_string(made_++);
    seen_.nodes.push_back(controllers::testing::MakeNode("node-" + number).get());
    seen_.node_claims.push_back(controllers::testing::MakeNodeClaim("claim-" + number, "node-" + number)
                                    .with([&](api::NodeClaim& claim) {
                                      claim.conditions = {{"Initialized", "True", "Initialized", ""}};
                                      if (drifted)
                                        claim.conditions.push_back({"Drifted", "True", "NodePoolDrifted", ""});
                                    })
                                    .get());
  }
  Drifting& runs(const api::ResumableJob& job, const std::string& node = "node-0") {
    kube::Pod pod = pod_on(node, job.meta.name + "-1-0", "ResumableJob", job.meta.uid);
    pod.meta.annotations = {{"karpenter.sh/do-not-disrupt", "true"}};
    seen_.users[job.meta.uid] = std::make_shared<const api::ResumableJob>(job);
    return runs_pod(std::move(pod));
  }
  Drifting& runs_pod(kube::Pod pod) {
    seen_.pods.push_back(std::make_shared<const kube::Pod>(std::move(pod)));
    return *this;
  }
  void change_claim(std::size_t which, auto&& change) { changed(seen_.node_claims[which], change); }
  void change_node(std::size_t which, auto&& change) { changed(seen_.nodes[which], change); }
  void change_pool(auto&& change) { changed(seen_.pool, change); }
  void change_job(const std::string& name, auto&& change) { changed(seen_.users.at("uid-" + name), change); }
  // The machine is gone; what Karpenter makes in its place is not drifted, unless it has to be.
  void renew(std::size_t which, bool drifted = false) {
    seen_.nodes.erase(seen_.nodes.begin() + static_cast<std::ptrdiff_t>(which));
    seen_.node_claims.erase(seen_.node_claims.begin() + static_cast<std::ptrdiff_t>(which));
    add_node(drifted);
  }
  void after(std::chrono::seconds time) { seen_.now += time; }

  // Decides once, and keeps the status as the API server would. Returns the NodeClaims that are deleted.
  std::vector<std::string> look() {
    plan_ = decide(seen_, settings_);
    std::vector<std::string> names;
    for (const Action& action : plan_.actions) {
      if (const auto* roll = std::get_if<RollNode>(&action)) names.push_back(roll->name);
    }
    change_pool([&](api::GpuPool& pool) { pool.status = plan_.status; });
    return names;
  }
  // A pass that writes the record, and one that sees it when it is due.
  std::vector<std::string> rolled() {
    std::vector<std::string> names = look();
    announced_ = plan_.announcements;
    const bool is_written = names.empty() && state() == "False/RollingNode" && plan_.wake_at;
    seen_.now = is_written ? *plan_.wake_at : seen_.now + std::chrono::seconds(1);
    for (std::string& name : look()) names.push_back(std::move(name));
    return names;
  }
  [[nodiscard]] std::string state() const {
    const kube::Condition* found = find_condition(plan_.status.conditions, "NodesUpToDate");
    if (found == nullptr) return "absent";
    return std::string(found->status == kube::ConditionStatus::True ? "True/" : "False/") + found->reason;
  }
  [[nodiscard]] std::string message() const {
    return find_condition(plan_.status.conditions, "NodesUpToDate")->message;
  }
  [[nodiscard]] static std::ptrdiff_t times(std::string_view reason, const std::vector<Announcement>& said) {
    return std::ranges::count(said, reason, &Announcement::reason);
  }

  Observation seen_;
  Settings settings_;
  Plan plan_;
  std::vector<Announcement> announced_;  // by the first look of rolled()

 private:
  static void changed(auto& shared, auto&& change) {
    auto copy = std::make_shared<std::remove_const_t<typename std::remove_reference_t<decltype(shared)>::element_type>>(
        *shared);
    change(*copy);
    shared = std::move(copy);
  }
  int made_ = 0;
};

}  // namespace reprise::controllers::gpupool::testing
