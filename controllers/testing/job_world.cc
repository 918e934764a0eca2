#include "controllers/testing/job_world.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "controllers/common/conditions.h"
#include "controllers/events/table.h"
#include "controllers/resumablejob/claims/claim_reservation.h"
#include "controllers/resumablejob/pods/names.h"

namespace reprise::controllers::testing {

namespace rj = resumablejob;

namespace {

kube::ContainerStatus trainer(kube::ContainerStateKind state) {
  kube::ContainerStatus status;
  status.name = "trainer";
  status.state = state;
  return status;
}

void terminate(kube::Pod& pod, int code, std::string message, kube::Time now) {
  pod.container_statuses = {trainer(kube::ContainerStateKind::Terminated)};
  pod.container_statuses[0].exit_code = code;
  pod.container_statuses[0].finished_at = now;
  pod.container_statuses[0].message = std::move(message);
  pod.phase = code == 0 ? kube::PodPhase::Succeeded : kube::PodPhase::Failed;
  pod.conditions = {{"Ready", "False", "", ""}};
}

bool is_over(const kube::Pod& pod) {
  return pod.phase == kube::PodPhase::Succeeded || pod.phase == kube::PodPhase::Failed;
}

// Every Event of a job is in the table from which docs/reference/events.md is made.
void demand_a_row(const rj::Announcement& said) {
  const bool known = std::ranges::any_of(events::table(), [&](const events::Info& row) {
    if (row.object != events::Object::ResumableJob || row.reason != said.reason) return false;
    return row.type == events::Type::Either ||
           (row.type == events::Type::Warning) == (said.type == rj::EventType::Warning);
  });
  if (!known) throw std::logic_error("controllers/events/table.cc lacks the Event " + said.reason + ", or its type");
}

}  // namespace

JobWorld::JobWorld(api::ResumableJob job) : job_(std::move(job)) {}

rj::Observation JobWorld::observe() {
  rj::Observation seen;
  seen.job = std::make_shared<const api::ResumableJob>(job_);
  if (!job_.spec.pool_name.empty()) seen.pool = pool_;
  seen.price_table = prices_;
  seen.namespace_labels = namespace_labels_;
  seen.namespace_uid = "uid-of-namespace";
  for (const auto& [name, pod] : pods_) {
    auto shared = std::make_shared<const kube::Pod>(pod);
    seen.pods.push_back(shared);
    if (!pod.claim_names.empty()) seen.claim_users.push_back(shared);
  }
  for (const auto& pod : foreign_claim_users_) seen.claim_users.push_back(pod);
  seen.deleted_pods = deleted_pods_;
  seen.claims = claims_;
  seen.service_exists = service_;
  for (const auto& [name, node] : nodes_) seen.nodes[name] = std::make_shared<const kube::Node>(node);
  for (const auto& [name, claim] : node_claims_) {
    seen.node_claims[claim.meta.uid] = std::make_shared<const api::NodeClaim>(claim);
  }
  seen.node_pools = node_pools_;
  seen.events = events_;
  seen.scheduled = scheduled_;
  seen.absent_nodes = absent_nodes_;
  seen.node_claims_served = node_claims_served_;
  seen.kept_claims = kept_claims_;
  seen.conflicting_jobs = conflicting_jobs_;
  if (job_.status.members.empty() || job_.status.attempt_end) seen.leaving = leaving_;
  seen.kueue = kueue_;
  seen.reports = reports_;
  seen.report_to = report_to_;
  seen.now = now_;
  seen.rejection = rejection_;
  seen.pods_may_come = pods_may_come_;
  seen.first_seen = first_seen_ = rj::waits_of(seen, first_seen_);
  return seen;
}

void JobWorld::carry_out(const rj::Action& action) {
  const std::string uid = "uid-" + std::to_string(next_uid_++);
  if (const auto* claim = std::get_if<rj::CreateClaim>(&action)) {
    create_claim(*claim, uid);
  } else if (std::holds_alternative<rj::CreateService>(action)) {
    service_ = true;
  } else if (const auto* reserve = std::get_if<rj::ReserveClaim>(&action)) {
    reserve_claim(*reserve);
  } else if (const auto* create = std::get_if<rj::CreatePod>(&action)) {
    create_pod(create->pod_builder, uid);
  } else if (const auto* remove = std::get_if<rj::DeletePod>(&action)) {
    delete_pod(*remove);
  } else if (const auto* mark = std::get_if<rj::MarkPodFailed>(&action)) {
    mark_pod_failed(*mark);
  } else if (const auto* fence = std::get_if<rj::DeleteNodeClaim>(&action)) {
    deleted_node_claims_.push_back(fence->name);
    for (auto& [node, standing] : node_claims_) {
      if (standing.meta.uid == fence->uid) standing.meta.deletion_timestamp = now_;
    }
  } else if (const auto* said = std::get_if<rj::AnnotatePod>(&action)) {
    pods_.at(said->pod_name).meta.annotations[std::string(said->key)] = said->value;
  } else if (const auto* point = std::get_if<rj::PointReports>(&action)) {
    pods_.at(point->pod_name).meta.annotations[std::string(protocol::kReportToAnnotation)] = point->to;
  } else if (const auto* request = std::get_if<rj::RequestCheckpoint>(&action)) {
    checkpoint_requests_.push_back(*request);
    pods_.at(request->pod_name).meta.annotations["reprise.dev/checkpoint-request"] = request->id;
  } else if (std::holds_alternative<rj::DeleteJob>(action)) {
    job_deleted_ = true;
  } else {
    write_workload(action, uid);
  }
}

void JobWorld::create_claim(const rj::CreateClaim& claim, const std::string& uid) {
  kube::PersistentVolumeClaim made;
  made.meta = claim.meta;
  made.meta.uid = uid;
  made.access_modes = {"ReadWriteMany"};
  claims_.emplace(made.meta.name, std::make_shared<const kube::PersistentVolumeClaim>(made));
}

void JobWorld::create_pod(const api::PodBuilder& wanted, const std::string& uid) {
  const auto counted = std::ranges::count_if(pods_, [](const auto& each) { return !is_over(each.second); });
  const bool exceeded = static_cast<std::size_t>(counted) >= pod_quota_;
  if (!reject_pods_.empty() || exceeded) {
    if (wanted.standby_command.empty()) rejection_ = exceeded ? "exceeded quota" : reject_pods_;
    return;
  }
  if (pods_.contains(wanted.name)) throw std::logic_error("pod created twice: " + wanted.name);
  kube::Pod pod;
  pod.meta.name = wanted.name;
  pod.meta.namespace_ = wanted.namespace_;
  pod.meta.uid = uid;
  pod.meta.labels = wanted.labels;
  pod.meta.owner_references = {wanted.owner};
  pod.meta.annotations = wanted.annotations;
  pod.meta.creation_timestamp = now_;
  pod.container_names = {"trainer"};
  if (!wanted.claim_name.empty()) pod.claim_names = {wanted.claim_name};
  pod.termination_grace_period_seconds = wanted.termination_grace_period_seconds;
  pod.phase = kube::PodPhase::Pending;
  pods_.emplace(wanted.name, std::move(pod));
  if (!wanted.node_name.empty()) run_on(wanted.name, wanted.node_name);
}

void JobWorld::delete_pod(const rj::DeletePod& remove) {
  const auto found = pods_.find(remove.name);
  if (found == pods_.end() || found->second.meta.uid != remove.uid) return;
  if (remove.grace_period_seconds && *remove.grace_period_seconds < 1) throw std::logic_error("force deletion");
  kube::Pod& pod = found->second;
  if (pod.node_name.empty() || is_over(pod)) {
    deleted_pods_.push_back(std::make_shared<const kube::Pod>(pod));
    pods_.erase(found);
  } else {
    const std::int64_t grace = remove.grace_period_seconds.value_or(*pod.termination_grace_period_seconds);
    const auto& before = pod.meta.deletion_grace_period_seconds;
    if (pod.meta.deletion_timestamp && before && *before <= grace) return;  // the grace only gets shorter
    pod.meta.deletion_timestamp = now_ + std::chrono::seconds(grace);
    pod.meta.deletion_grace_period_seconds = grace;
  }
}

void JobWorld::mark_pod_failed(const rj::MarkPodFailed& mark) {
  const auto found = pods_.find(mark.name);
  if (found == pods_.end() || found->second.meta.uid != mark.uid) return;
  if (faster_binding_.first == mark.name) run_on(mark.name, std::exchange(faster_binding_, {}).second);
  if (!found->second.node_name.empty()) return;
  if (slower_binding_.first == mark.name) {
    run_on(mark.name, std::exchange(slower_binding_, {}).second);
    lose_containers(mark.name, {}, {});
  }
  found->second.phase = kube::PodPhase::Failed;
  found->second.reason = rj::kMarkedFailed;
}

void JobWorld::reserve_claim(const rj::ReserveClaim& reserve) {
  const auto found = claims_.find(reserve.name);
  if (found == claims_.end() || found->second->meta.resource_version != reserve.resource_version) return;
  kube::PersistentVolumeClaim reserved = *found->second;
  reserved.meta.annotations[std::string(rj::kUsedByAnnotation)] = reserve.used_by;
  if (reserve.owners) reserved.meta.owner_references = *reserve.owners;
  reserved.meta.resource_version = std::to_string(++claim_version_);
  found->second = std::make_shared<const kube::PersistentVolumeClaim>(std::move(reserved));
}

rj::Plan JobWorld::reconcile() {
  rj::Plan plan = rj::decide(observe(), rj::Settings{.agent_image = "reprise:test"});
  job_.status = plan.status;
  for (const auto& announcement : plan.announcements) {
    demand_a_row(announcement);
    announced_.push_back(announcement);
  }
  rejection_.clear();
  for (const rj::Action& action : plan.actions) carry_out(action);
  return plan;
}

void JobWorld::settle() {
  for (int round = 0; round < 50; ++round) {
    const api::ResumableJobStatus before = job_.status;
    const rj::Plan plan = reconcile();
    if (before == job_.status && plan.actions.empty()) return;
  }
  throw std::logic_error("the job does not settle");
}

void JobWorld::settle_with_crashes() {
  for (int round = 0; round < 100; ++round) {
    const api::ResumableJobStatus before = job_.status;
    const rj::Plan plan = rj::decide(observe(), rj::Settings{.agent_image = "reprise:test"});
    job_.status = plan.status;  // crash: none of the actions is carried out, then the next process looks again
    deleted_pods_.clear();
    first_seen_.clear();
    const rj::Plan again = reconcile();
    if (before == job_.status && again.actions.empty()) return;
  }
  throw std::logic_error("the job does not settle");
}

void JobWorld::run_on(const std::string& name, const std::string& node) {
  kube::Pod& pod = pods_.at(name);
  if (!nodes_.contains(node)) {
    nodes_[node] = *MakeNode(node).get();
    node_claims_[node] = *MakeNodeClaim("claim-" + node, node).get();
  }
  pod.node_name = node;
  pod.phase = kube::PodPhase::Running;
  pod.container_statuses = {trainer(kube::ContainerStateKind::Running)};
  pod.conditions = {{"Ready", "True", "", ""}};
}

void JobWorld::schedule_all() {
  std::vector<std::string> pending;
  for (const auto& [name, pod] : pods_) {
    if (pod.phase == kube::PodPhase::Pending && !pod.meta.deletion_timestamp) pending.push_back(name);
  }
  for (const std::string& name : pending) run_on(name, "node-of-" + name);
}

void JobWorld::exit(const std::string& name, int code, std::string message) {
  terminate(pods_.at(name), code, std::move(message), now_);
}

void JobWorld::exit_all(int code) {
  for (auto& [name, pod] : pods_) {
    if (pod.phase == kube::PodPhase::Running && !pod.meta.label(rj::kAttemptLabel).empty())
      terminate(pod, code, {}, now_);
  }
}

void JobWorld::stop_deleted(int code, std::string message) {
  for (auto at = pods_.begin(); at != pods_.end();) {
    kube::Pod& pod = at->second;
    if (!pod.meta.deletion_timestamp) {
      ++at;
      continue;
    }
    if (pod.phase == kube::PodPhase::Running) terminate(pod, code, message, now_);
    deleted_pods_.push_back(std::make_shared<const kube::Pod>(pod));
    at = pods_.erase(at);
  }
}

void JobWorld::force_remove(const std::string& name) {
  deleted_pods_.push_back(std::make_shared<const kube::Pod>(pods_.at(name)));
  pods_.erase(name);
}

void JobWorld::lose_containers(const std::string& name, const std::string& reason, const std::string& message) {
  kube::Pod& pod = pods_.at(name);
  pod.phase = kube::PodPhase::Failed;
  pod.reason = reason;
  pod.message = message;
  pod.container_statuses = {};
  pod.conditions = {};
}

void JobWorld::remove_node(const std::string& node) {
  nodes_.erase(node);
}
void JobWorld::remove_node_claim(const std::string& node) {
  nodes_.erase(node);
  node_claims_.erase(node);
}
void JobWorld::delete_node_claim(const std::string& node) {
  node_claims_.at(node).meta.deletion_timestamp = now_;
}
void JobWorld::node_ready(const std::string& node, const std::string& status) {
  nodes_.at(node).conditions = {{"Ready", status, "", ""}};
}

const kube::Condition& JobWorld::condition(std::string_view type) const {
  const kube::Condition* found = find_condition(job_.status.conditions, type);
  if (found == nullptr) throw std::logic_error("no condition " + std::string(type));
  return *found;
}

std::string JobWorld::state(std::string_view type) const {
  const kube::Condition& found = condition(type);
  const char* status = found.status == kube::ConditionStatus::True    ? "True"
                       : found.status == kube::ConditionStatus::False ? "False"
                                                                      : "Unknown";
  return std::string(status) + "/" + found.reason;
}

std::vector<std::string> JobWorld::pods() const {
  std::vector<std::string> names;
  for (const auto& [name, pod] : pods_) names.push_back(name);
  return names;
}

JobWorld running_job(std::int32_t parallelism, const std::function<void(api::ResumableJob&)>& change) {
  JobWorld world(MakeJob("fit").parallelism(parallelism).with(change).get());
  world.settle();
  world.schedule_all();
  world.settle();
  return world;
}

void to_next_attempt(JobWorld& world) {
  world.settle();
  world.stop_deleted(143);
  world.settle();
  world.now_ += std::chrono::minutes(10);
  world.settle();
}

}  // namespace reprise::controllers::testing
