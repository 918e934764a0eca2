#include "controllers/resumablejob/pods/pod_builder.h"

#include <algorithm>
#include <limits>

#include "controllers/common/termination_grace.h"
#include "controllers/gpupool/sharing/request_gpus.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/steps/schedule.h"
#include "protocol/agent_protocol.h"
#include "runtime/kube/owner_reference.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::resumablejob {
namespace {

// Time for the agent to write its record and for the containers to go, beyond the save itself.
constexpr std::int64_t kRecordMarginSeconds = 10;
constexpr int kCoordinatorPort = 29500;
// A trainer on a node that stopped answering is given up after this; Kubernetes' default is 300 s.
constexpr std::int64_t kUnreachableSeconds = 15;

// Pods run where Kueue has counted the quota.
void add_flavors(const Observation& seen, api::PodBuilder& pod) {
  for (const auto& flavor : seen.kueue.flavors) {
    for (const auto& [key, value] : flavor->node_labels) pod.node_selector.emplace(key, value);
    pod.tolerations.insert(pod.tolerations.end(), flavor->tolerations.begin(), flavor->tolerations.end());
  }
}

api::PodBuilder common(const Observation& seen, const Settings& settings, std::string name,
                       std::string_view requested_capacity) {
  const api::ResumableJob& job = *seen.job;
  api::PodBuilder pod;
  pod.name = std::move(name);
  pod.namespace_ = job.meta.namespace_;
  pod.labels = {{std::string(kJobLabel), job.meta.name}, {std::string(kJobUidLabel), job.meta.uid}};
  pod.owner = kube::owner_reference(job);
  pod.template_json = job.spec.pod_template.json.text();
  if (const api::TemplateContainer* trainer = training_container(job)) pod.container = trainer->name;
  pod.agent_image = settings.agent_image;
  pod.agent_image_pull_policy = settings.agent_image_pull_policy;
  if (!settings.agent_image.empty()) pod.image_pull_secrets = settings.agent_image_pull_secrets;
  pod.node_selector = own_node_selector(seen, requested_capacity);
  if (seen.pool) gpupool::tolerate_taints(seen.pool->spec, pod);
  add_flavors(seen, pod);
  if (seen.pool) gpupool::request_gpus(*seen.pool, pod);
  return pod;
}

// A GPU runs a process mostly: the agents tell by it how many parts a save of a gang has.
std::int64_t gpus_of_rank(const api::ResumableJob& job) {
  const api::TemplateContainer* trainer = training_container(job);
  if (trainer == nullptr) return 0;
  std::int64_t gpus = 0;
  for (const auto& [resource, quantity] : trainer->limits)
    if (api::is_device_resource(resource)) gpus += kube::whole_number(quantity).value_or(0);
  return std::min<std::int64_t>(gpus, std::numeric_limits<std::int16_t>::max());
}

void add_environment(const Observation& seen, const api::ResumableJobStatus& status, std::int32_t index,
                     api::PodBuilder& pod) {
  const api::ResumableJob& job = *seen.job;
  const api::CheckpointSpec& checkpoint = job.spec.checkpoint;
  const std::string coordinator = pod_name(job.meta.name, status.attempt, 0) + "." + service_name(job.meta.name) + "." +
                                  job.meta.namespace_ + ".svc";
  const auto add = [&](std::string_view name, std::string value) {
    pod.env.push_back({.name = std::string(name), .value = std::move(value), .field_path = {}});
  };
  add(protocol::kJobUid, job.meta.uid);
  add(protocol::kAttempt, std::to_string(status.attempt));
  add(protocol::kIndex, std::to_string(index));
  add(protocol::kParallelism, std::to_string(job.spec.parallelism));
  if (const std::int64_t gpus = gpus_of_rank(job); gpus > 0) add(protocol::kDevices, std::to_string(gpus));
  pod.env.push_back({.name = std::string(protocol::kPodUid), .value = {}, .field_path = "metadata.uid"});
  add(protocol::kCheckpointDir, checkpoint.path);
  add(protocol::kVolumeAccess, checkpoint.volume.access == api::VolumeAccess::Shared ? "Shared" : "PerIndex");
  add(protocol::kFormat, std::string(api::name(checkpoint.format)));
  if (checkpoint.keep) add(protocol::kKeep, std::to_string(*checkpoint.keep));
  add(protocol::kPeriod, std::to_string(checkpoint.period_seconds));
  add(protocol::kGrace, std::to_string(checkpoint.grace_seconds));
  if (checkpoint.verify == api::CheckpointVerify::Full) add(protocol::kVerify, "Full");
  if (checkpoint.unproven == api::UnprovenCheckpoints::Use) add(protocol::kUnproven, "Use");
  if (checkpoint.trust_sync) add(protocol::kTrustSync, "true");
  if (!checkpoint.progress_pattern.empty()) add(protocol::kProgressPattern, checkpoint.progress_pattern);
  if (job.spec.progress_timeout_seconds)
    add(protocol::kProgressTimeout, std::to_string(*job.spec.progress_timeout_seconds));
  const bool never = job.spec.resume == api::ResumePolicy::Never;
  // FromScratch that is said while an attempt is under way is for the next one: its ranks load one step.
  const bool from_scratch = job.spec.resume == api::ResumePolicy::FromScratch && status.from_scratch_attempt > 0;
  add(protocol::kResume, never ? "Never" : from_scratch ? "FromScratch" : "Latest");
  if (from_scratch) add(protocol::kFromScratchSince, std::to_string(status.from_scratch_attempt));
  if (status.checkpoint && !never) {
    add(protocol::kExpectedStep, std::to_string(status.checkpoint->step));
    if (!status.checkpoint->path.empty()) add(protocol::kExpectedCheckpoint, status.checkpoint->path);
  }
  if (checkpoint.on_notice && !checkpoint.on_notice->signal.empty()) {
    add(protocol::kNoticeSignal, checkpoint.on_notice->signal);
  }
  if (checkpoint.on_notice && !checkpoint.on_notice->file.empty()) {
    add(protocol::kNoticeFile, checkpoint.on_notice->file);
  }
  add(protocol::kAnnotationsFile, "/reprise-podinfo/annotations");
  if (seen.report_to) {
    add(protocol::kReportTokenFile, "/reprise-podinfo/token");
    pod.report_audience = protocol::kReportAudience;
  }
  add("REPRISE_COORDINATOR", coordinator + ":" + std::to_string(kCoordinatorPort));
  add("PET_NNODES", std::to_string(job.spec.parallelism));
  add("PET_NODE_RANK", std::to_string(index));
  add("PET_MASTER_ADDR", coordinator);
  add("PET_MASTER_PORT", std::to_string(kCoordinatorPort));
}

}  // namespace

kube::StringMap own_node_selector(const Observation& seen, std::string_view requested) {
  kube::StringMap selector;
  if (!seen.pool) return selector;
  selector[std::string(kPoolLabel)] = seen.pool->meta.name;
  if (!seen.job->spec.placement) return selector;
  const api::JobPlacement& placement = *seen.job->spec.placement;
  const bool spot =
      placement.capacity == api::PlacementCapacity::SpotOnly || requested == name(api::CapacityType::Spot);
  const bool on_demand =
      placement.capacity == api::PlacementCapacity::OnDemandOnly || requested == name(api::CapacityType::OnDemand);
  if (spot || on_demand) selector["karpenter.sh/capacity-type"] = spot ? "spot" : "on-demand";
  if (placement.zones.size() == 1) selector["topology.kubernetes.io/zone"] = placement.zones.front();
  return selector;
}

api::PodBuilder build_queued_pod(const Observation& seen) {
  api::PodBuilder pod;
  pod.template_json = seen.job->spec.pod_template.json.text();
  if (const api::TemplateContainer* trainer = training_container(*seen.job)) pod.container = trainer->name;
  pod.node_selector = own_node_selector(seen);
  if (seen.pool) gpupool::tolerate_taints(seen.pool->spec, pod);
  pod.pod_info = false;
  return pod;
}

std::int64_t rank_grace_seconds(const Observation& seen) {
  std::int64_t grace = seen.job->spec.checkpoint.grace_seconds + kRecordMarginSeconds;
  grace = std::max(grace, seen.job->spec.pod_template.termination_grace_period_seconds.value_or(0));
  if (seen.pool) {
    for (const api::PoolCapacity& capacity : seen.pool->spec.capacity) {
      grace = std::max<std::int64_t>(grace, termination_grace_seconds(capacity));
    }
  }
  return grace;
}

api::PodBuilder build_rank_pod(const Observation& seen, const Settings& settings, const api::ResumableJobStatus& status,
                               std::int32_t index) {
  const api::ResumableJob& job = *seen.job;
  const kube::Text requested = status.placement ? status.placement->requested : kube::Text();
  api::PodBuilder pod = common(seen, settings, pod_name(job.meta.name, status.attempt, index), requested);
  pod.labels[std::string(kAttemptLabel)] = std::to_string(status.attempt);
  pod.labels[std::string(kIndexLabel)] = std::to_string(index);
  pod.annotations[std::string(kDoNotDisruptAnnotation)] = "true";
  pod.annotations[std::string(kIndexLabel)] = std::to_string(index);
  pod.annotations[std::string(kTrainerAnnotation)] = pod.container;
  pod.wrapper = {pod.agent_directory + "/reprise-agent", "run", "--"};
  if (agrees_on_step(job)) pod.list_command = {pod.agent_directory + "/reprise-agent", "list-checkpoints"};
  pod.claim_name = claim_name(job, index);
  pod.checkpoint_path = job.spec.checkpoint.path;
  pod.hostname = pod.name;
  pod.subdomain = service_name(job.meta.name);
  pod.termination_grace_period_seconds = rank_grace_seconds(seen);
  for (const char* taint : {"node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"}) {
    pod.tolerations.push_back(
        {.key = taint, .op = "Exists", .value = {}, .effect = "NoExecute", .toleration_seconds = kUnreachableSeconds});
  }
  if (seen.report_to) pod.annotations[std::string(protocol::kReportToAnnotation)] = seen.report_to->annotation();
  add_environment(seen, status, index, pod);
  return pod;
}

api::PodBuilder build_standby_pod(const Observation& seen, const Settings& settings,
                                  const api::ResumableJobStatus& status, std::int32_t index) {
  // Asks for capacity as the next attempt will.
  api::PodBuilder pod = common(seen, settings, standby_name(seen.job->meta.name, status.attempt, index),
                               capacity_to_request(seen, status));
  pod.labels[std::string(kStandbyLabel)] = std::to_string(status.attempt);
  pod.standby_command = {pod.agent_directory + "/reprise-agent", "pause"};
  pod.priority_class_name = std::string(kStandbyPriorityClass);
  pod.termination_grace_period_seconds = 1;
  pod.pod_info = false;
  return pod;
}

api::PodBuilder build_node_keeper(const Observation& seen, const Settings& settings,
                                  const api::ResumableJobStatus& status, std::int32_t index, std::string_view node,
                                  std::chrono::seconds at_most) {
  api::PodBuilder pod = build_standby_pod(seen, settings, status, index);
  pod.name = node_keeper_name(seen.job->meta.name, status.attempt, index);
  pod.labels[std::string(kKeepsNodeLabel)] = std::to_string(status.attempt);
  pod.node_name = node;
  pod.active_deadline_seconds = at_most.count();
  return pod;
}

}  // namespace reprise::controllers::resumablejob
