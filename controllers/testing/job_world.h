// A small world around one job for tests of decide(): it carries out plans the way the shell and a cluster would, so
// that a test takes a few lines. Time stands still unless moved.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controllers/resumablejob/decide/decide.h"
#include "controllers/testing/builders.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::testing {

class JobWorld {
 public:
  explicit JobWorld(api::ResumableJob job);

  // One reconcile: observe, decide, write the status, carry out the actions.
  resumablejob::Plan reconcile();
  // Reconciles until nothing changes; fails the test (throws) after 50 rounds.
  void settle();
  // As settle(), but the process dies after the status write of every pass and comes back: actions must be found again.
  void settle_with_crashes();

  // Plays the cluster.
  void schedule_all();  // binds each pending pod to its own node with a NodeClaim, makes it run
  void run_on(const std::string& pod, const std::string& node);
  void exit(const std::string& pod, int code, std::string message = {});  // by itself
  void exit_all(int code);                                                // every running rank of the attempt
  void stop_deleted(int code,
                    std::string message = {});  // the kubelet ends every pod that is being deleted, removes it
  void force_remove(const std::string& pod);    // the object goes, the machine knows nothing
  // The scheduler is a moment faster than the operator that marks that pod failed, which finds it changed.
  void bind_before_mark_failed(const std::string& pod, const std::string& node) { faster_binding_ = {pod, node}; }
  // The scheduler is a moment slower: the Binding lands on the pod that has been marked failed.
  void bind_after_mark_failed(const std::string& pod, const std::string& node) { slower_binding_ = {pod, node}; }
  // phase Failed with that reason and message, and a status that shows no container.
  void lose_containers(const std::string& pod, const std::string& reason, const std::string& message);
  void remove_node(const std::string& node);
  // The node's NodeClaim is being deleted; other jobs' nodes too.
  void leaves(const kube::Node& node) { leaving_.push_back(std::make_shared<const kube::Node>(node)); }
  void none_leaves() { leaving_.clear(); }
  void remove_node_claim(const std::string& node);  // machine and Node are gone
  void delete_node_claim(const std::string& node);  // deletionTimestamp
  void node_ready(const std::string& node, const std::string& status);
  void taint(const std::string& node, const std::string& key) {
    nodes_.at(node).taints.push_back({key, "", "NoSchedule"});
  }
  // Kueue, whose feature gate is off unless kueue_ says otherwise.
  void admit(const std::vector<std::string>& flavors = {});
  void evict(const std::string& reason, const std::string& message);
  void change_workload(const std::function<void(api::Workload&)>& change);
  void forget_deleted_pods() {  // the operator was restarted
    deleted_pods_.clear();
    first_seen_.clear();
  }

  [[nodiscard]] const api::ResumableJobStatus& status() const { return job_.status; }
  [[nodiscard]] const kube::Condition& condition(std::string_view type) const;
  [[nodiscard]] std::string state(std::string_view type) const;  // "True/Reason"
  [[nodiscard]] std::vector<std::string> pods() const;           // names of all that exist
  [[nodiscard]] bool has_pod(const std::string& name) const { return pods_.contains(name); }
  [[nodiscard]] const kube::Pod& pod(const std::string& name) const { return pods_.at(name); }
  [[nodiscard]] std::vector<std::string> deleted_node_claims() const { return deleted_node_claims_; }

  api::ResumableJob job_;
  std::shared_ptr<const api::GpuPool> pool_ = MakePool("t4").get();
  kube::StringMap namespace_labels_;
  std::map<std::string, kube::Pod> pods_;
  std::vector<std::shared_ptr<const kube::Pod>> deleted_pods_;
  std::map<std::string, std::shared_ptr<const kube::PersistentVolumeClaim>, std::less<>> claims_;
  std::map<std::string, kube::Node> nodes_;
  std::map<std::string, api::NodeClaim> node_claims_;  // by node name
  std::map<std::string, std::shared_ptr<const api::NodePool>, std::less<>> node_pools_{{"t4-spot", make_node_pool()}};
  std::vector<std::shared_ptr<const kube::Event>> events_;
  std::vector<std::shared_ptr<const kube::Pod>> foreign_claim_users_;
  std::map<std::string, resumablejob::Observation::Scheduled, std::less<>> scheduled_;
  std::set<std::string, std::less<>> absent_nodes_;
  bool node_claims_served_ = true;
  std::map<std::string, std::string, std::less<>> kept_claims_;
  std::vector<std::shared_ptr<const api::ResumableJob>> conflicting_jobs_;
  std::vector<resumablejob::Announcement> announced_;
  std::vector<resumablejob::RequestCheckpoint> checkpoint_requests_;
  std::vector<std::string> deleted_node_claims_;
  std::vector<std::shared_ptr<const kube::Node>> leaving_;
  bool service_ = false;
  bool pods_may_come_ = false;    // this process has not begun the attempt, or has no answer about one of its pods
  std::string reject_pods_;       // the API server's answer to every new pod; empty: they are taken
  std::size_t pod_quota_ = 1000;  // the most pods that may be there without having ended
  std::string rejection_;         // the shell's memory of it
  bool job_deleted_ = false;
  std::vector<api::InstancePrice> prices_;  // the cluster's
  resumablejob::Observation::Kueue kueue_;
  // Has a rank report now; the report is remembered.
  void report(const std::string& of_pod, protocol::LiveReport said,
              std::optional<protocol::ListedCheckpoint> saved_before = {}) {
    reports_[pod(of_pod).meta.uid] = std::make_shared<const reports::RankReport>(
        reports::RankReport{.said = std::move(said), .received = now_, .saved_before = saved_before});
  }
  std::map<std::string, std::shared_ptr<const reports::RankReport>, std::less<>> reports_;  // by uid of the pod
  std::shared_ptr<const reports::ReportTarget> report_to_;
  kube::Time now_ = kStart;

 private:
  [[nodiscard]] resumablejob::Observation observe();
  void carry_out(const resumablejob::Action& action);
  void create_claim(const resumablejob::CreateClaim& claim, const std::string& uid);
  void create_pod(const api::PodBuilder& wanted, const std::string& uid);
  void delete_pod(const resumablejob::DeletePod& remove);
  void mark_pod_failed(const resumablejob::MarkPodFailed& mark);
  void reserve_claim(const resumablejob::ReserveClaim& reserve);
  void write_workload(const resumablejob::Action& action, const std::string& uid);
  void put_workload(api::Workload workload);
  int next_uid_ = 1, claim_version_ = 0;
  resumablejob::FirstSeen first_seen_;                                   // the memory of the process
  std::pair<std::string, std::string> faster_binding_, slower_binding_;  // pod, node
};

// A job whose first attempt runs, each of its pods on a node of its own.
[[nodiscard]] JobWorld running_job(
    std::int32_t parallelism = 1, const std::function<void(api::ResumableJob&)>& change = [](auto&) {});
// A job that names a queue of Kueue, which is there, with the feature gate on; nothing has happened yet.
[[nodiscard]] JobWorld queued_job(std::int32_t parallelism = 1);
// The same, admitted, and its first attempt runs.
[[nodiscard]] JobWorld admitted_job(std::int32_t parallelism = 1);
[[nodiscard]] bool holds_quota(const JobWorld& world);
// Pods that are being stopped end with 143, and the pause before the next attempt passes.
void to_next_attempt(JobWorld& world);

}  // namespace reprise::controllers::testing
