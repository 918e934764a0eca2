#include "simulator/scenarios/workload/workload.h"

#include <cmath>
#include <utility>

#include "runtime/kube/time.h"
#include "simulator/scenarios/workload/many_containers.h"
#include "simulator/scenarios/workload/warm_gpus.h"

namespace reprise::simulator {
namespace {

std::string dollars(int cents) {
  return std::to_string(cents / 100) + "." + std::to_string(100 + cents % 100).substr(1);
}

Duration minutes(double count) {
  return Duration{static_cast<Duration::rep>(count * 60'000)};
}

double between(runtime::Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

int pick(runtime::Random& random, int low, int high) {
  return low + static_cast<int>(random.uniform() * (high - low + 1));
}

// Many short spells and a few long ones, as the recorded traces have them.
Duration spell(runtime::Random& random, double shortest, double longest) {
  return minutes(shortest * std::pow(longest / shortest, random.uniform()));
}

// The longest time that spot stays in a zone: of a calm one and of a restless one, log-uniform between.
constexpr double calm = 60, restless = 12;

ZonePlan draw_zone(runtime::Random& random, std::string name, Duration length) {
  ZonePlan zone{.name = std::move(name), .available = random.uniform() < 0.8, .edges = {}};
  zone.spot_price = between(random, 0.15, 0.35);
  const double longest = restless * std::pow(calm / restless, random.uniform());
  Duration at{0};
  bool up = zone.available;
  while (true) {
    at += up ? spell(random, 3, longest) : spell(random, 1, 15);
    if (at >= length) break;
    zone.edges.push_back(at);
    up = !up;
  }
  return zone;
}

JobPlan draw_job(runtime::Random& random, int index) {
  JobPlan job{.name = "job-" + std::string(1, static_cast<char>('a' + index))};
  job.parallelism = random.uniform() < 0.5 ? 1 : pick(random, 2, 3);
  job.steps = pick(random, 10, 60) * 60;
  job.save = Duration{pick(random, 2, 20) * 1'000};
  job.save_every_steps = pick(random, 2, 10) * 60;
  job.grace_seconds = pick(random, 30, 110);
  job.saves_on_notice = random.uniform() < 0.85;
  job.submitted = minutes(between(random, 0, 10));
  return job;
}

// OpenShift's timing for its operators, for API servers that many of them share. Two thirds of the scenarios have it:
// at the usual timing most of the events in a quiet hour are the lease's.
constexpr runtime::LeaseTiming slow_lease{std::chrono::seconds(137), std::chrono::seconds(107),
                                          std::chrono::seconds(26)};

// Draws from a stream of its own: earlier draws stay as they were.
void draw_habits(runtime::Random& random, JobPlan& job) {
  if (random.uniform() < 0.25) job.term_exit_code = 0;
  const bool fails = random.uniform() < 0.2;
  const int attempt = pick(random, 1, 3);
  const double where = random.uniform();
  if (fails) {
    job.fails_in_attempt = attempt;
    job.fails_at_step = static_cast<std::int64_t>(where * static_cast<double>(job.steps));
  }
  if (random.uniform() < 0.5) job.end_spread = Duration{pick(random, 1, 60) * 1'000};
}

// Each half of the time until the trainer is ready.
void add_probes(const JobPlan& job, JsonObject& annotations, JsonObject& container) {
  const auto probe = [](int delay) {
    return JsonObject{{"exec", JsonObject{{"command", JsonArray{"is-well"}}}}, {"initialDelaySeconds", delay}};
  };
  if (job.ready_after_seconds > 0) {
    container["startupProbe"] = probe(job.ready_after_seconds / 2);
    container["readinessProbe"] = probe(job.ready_after_seconds - job.ready_after_seconds / 2);
  }
  if (job.unhealthy_after == Duration{0}) return;
  container["livenessProbe"] = probe(0);
  annotations["simulate.reprise.dev/unhealthy-after-milliseconds"] = std::to_string(job.unhealthy_after.count());
  annotations["simulate.reprise.dev/unhealthy-attempt"] = "1";
}

// Annotations for the simulated trainer's behaviour.
JsonObject trainer_annotations(const JobPlan& job) {
  const auto said = [](std::int64_t value) { return Value(std::to_string(value)); };
  JsonObject annotations{
      {"simulate.reprise.dev/steps", said(job.steps)},
      {"simulate.reprise.dev/step-milliseconds", said(job.step.count())},
      {"simulate.reprise.dev/save-milliseconds", said(job.save.count())},
      {"simulate.reprise.dev/save-every-steps", said(job.save_every_steps)},
      {"simulate.reprise.dev/on-term", job.saves_on_notice ? "Save" : "Exit"},
  };
  if (job.term_exit_code != 143) annotations["simulate.reprise.dev/term-exit-code"] = said(job.term_exit_code);
  if (job.end_spread != Duration{0})
    annotations["simulate.reprise.dev/end-spread-milliseconds"] = said(job.end_spread.count());
  if (job.peer_loss > Duration{0})
    annotations["simulate.reprise.dev/peer-loss-milliseconds"] = said(job.peer_loss.count());
  if (job.save_spread > Duration{0})
    annotations["simulate.reprise.dev/save-spread-milliseconds"] = said(job.save_spread.count());
  if (job.ranks_apart) annotations["simulate.reprise.dev/ranks"] = "Apart";
  if (job.dated_names) annotations["simulate.reprise.dev/names"] = "Dates";
  if (job.data) annotations["simulate.reprise.dev/data"] = "true";
  if (const LibraryPlan& plan = job.library; plan.library != Library::None) {
    annotations["simulate.reprise.dev/library"] = name_of(plan.library);
    annotations["simulate.reprise.dev/folder"] = plan.folder;
    annotations["simulate.reprise.dev/save-limit"] = said(plan.save_limit);
    if (plan.files_beside) annotations["simulate.reprise.dev/files-beside"] = "true";
  }
  if (job.volume.former_runs > 0) annotations["simulate.reprise.dev/former-runs"] = said(job.volume.former_runs);
  if (job.helpers > 0) annotations["simulate.reprise.dev/helpers"] = said(job.helpers);
  if (job.fails_in_attempt > 0) {
    annotations["simulate.reprise.dev/fail-at-step"] = said(job.fails_at_step);
    annotations["simulate.reprise.dev/fail-attempt"] = said(job.fails_in_attempt);
  }
  if (job.tells_steps) annotations["simulate.reprise.dev/tells-steps"] = "true";
  if (job.hang_attempts > 0) {
    annotations["simulate.reprise.dev/hang-at-step"] = said(job.hangs_at_step);
    annotations["simulate.reprise.dev/hang-attempts"] = said(job.hang_attempts);
    annotations["simulate.reprise.dev/hung"] = job.when_hung;
  }
  return annotations;
}

std::string format_of(const JobPlan& job) {
  if (job.library.library == Library::None) return job.data || job.volume.former_runs > 0 ? "Auto" : "Marker";
  return job.library.is_named && !job.data ? std::string(name_of(job.library.library)) : "Auto";
}

JsonObject placement_of(const JobPlan& job, runtime::WallTime now) {
  JsonObject placement;
  if (job.max_cost_cents > 0) placement["maxCost"] = dollars(job.max_cost_cents);
  if (job.complete_by_seconds > 0)
    placement["completeBy"] = kube::format_time(now + std::chrono::seconds(job.complete_by_seconds));
  if (job.estimated_seconds > 0) placement["estimatedSeconds"] = job.estimated_seconds;
  return placement;
}

JsonObject trainer_container(const JobPlan& job) {
  const char* const gpu = job.pooled ? "reprise.dev/gpu" : "nvidia.com/gpu";
  JsonObject container{
      {"name", "trainer"},
      {"image", "registry.example.com/trainer:1"},
      {"command", JsonArray{"train"}},
      {"resources", JsonObject{{"limits", JsonObject{{gpu, 1}}}}},
  };
  if (job.pre_stop) {
    const JsonObject hook{{"exec", JsonObject{{"command", JsonArray{"save-and-end"}}}}};
    container["lifecycle"] = JsonObject{{"preStop", hook}};
  }
  return container;
}

// A collective waits for a rank that is gone until its timeout ends: ten minutes in torch.distributed with NCCL.
constexpr double soonest_noticed = 20, latest_noticed = 600;

Duration draw_peer_loss(runtime::Random& random) {
  const bool slow = random.uniform() < 0.5;
  const double seconds = soonest_noticed * std::pow(latest_noticed / soonest_noticed, random.uniform());
  return slow ? Duration{static_cast<Duration::rep>(seconds * 1'000)} : Duration{0};
}

// The first rank first or the last; minutes for one that still writes out its model.
void draw_ends(runtime::Random& random, JobPlan& job) {
  const bool first_first = random.uniform() < 0.5, long_ends = random.uniform() < 0.3;
  const Duration apart{pick(random, 30, 300) * 1'000};
  if (long_ends) job.end_spread = apart;
  if (first_first) job.end_spread = -job.end_spread;
}

// Trainers that write a marker by themselves rotate nothing. Some of their jobs do not say how many stay either:
// nothing is deleted there.
int kept(const JobPlan& job) {
  const bool is_said = job.library.library == Library::None && job.deadline_seconds == 0 && job.volume.says_keep;
  return is_said ? 2 : job.library.keep;
}

}  // namespace

Workload draw_workload(runtime::Random& random, runtime::Random& later) {
  Workload workload;
  workload.length = minutes(between(random, 60, 180));
  const int zones = pick(random, 1, 3);
  for (int index = 0; index < zones; ++index)
    workload.zones.push_back(
        draw_zone(random, "test-zone-" + std::string(1, static_cast<char>('a' + index)), workload.length));
  const int jobs = pick(random, 1, 3);
  for (int index = 0; index < jobs; ++index) workload.jobs.push_back(draw_job(random, index));
  if (later.uniform() < 0.3)
    for (JobPlan& job : workload.jobs) draw_habits(later, job);
  if (later.uniform() < 0.67) workload.lease_timing = slow_lease;
  workload.notice_seconds = random.uniform() < 0.7 ? 120 : 30;
  workload.max_on_demand_gpus = random.uniform() < 0.5 ? 0 : 4;
  for (JobPlan& job : workload.jobs) job.peer_loss = draw_peer_loss(later);
  for (JobPlan& job : workload.jobs) draw_ends(later, job);
  for (JobPlan& job : workload.jobs) job.ranks_apart = later.uniform() < 0.3 && job.parallelism > 1;
  return workload;
}

Value pool_object(const Workload& workload) {
  JsonArray capacity;
  capacity.push_back(
      JsonObject{{"type", "Spot"}, {"maxGpus", workload.max_spot_gpus}, {"noticeSeconds", workload.notice_seconds}});
  if (workload.max_on_demand_gpus > 0)
    capacity.push_back(JsonObject{{"type", "OnDemand"}, {"maxGpus", workload.max_on_demand_gpus}});
  Value pool = JsonObject{
      {"apiVersion", "reprise.dev/v1alpha1"},
      {"kind", "GpuPool"},
      {"metadata", JsonObject{{"name", kPoolName}}},
      {"spec", JsonObject{{"gpu", JsonObject{{"models", JsonArray{"t4"}}, {"countsPerNode", JsonArray{1}}}},
                          {"nodeClassRef",
                           JsonObject{{"group", "karpenter.kwok.sh"}, {"kind", "KWOKNodeClass"}, {"name", "default"}}},
                          {"capacity", std::move(capacity)},
                          {"scaleDown", JsonObject{{"idleSeconds", 60}}}}}};
  if (workload.max_cost_cents > 0) {
    set(pool, {"spec", "maxCostPerHour"}, Value(dollars(workload.max_cost_cents)));
    set(pool, {"spec", "instanceTypes"}, JsonArray{"g4dn.xlarge"});
  }
  if (workload.warm_gpus > 0) set(pool, {"spec", "warm"}, warm_of(workload));
  if (workload.hostile_tenant)
    set(pool, {"spec", "allowedNamespaces", "matchLabels", "kubernetes.io/metadata.name"}, Value(kJobNamespace));
  if (workload.returns_to_spot) set(pool, {"spec", "fallback", "policy"}, Value("ReturnAtCheckpoint"));
  return pool;
}

std::vector<std::string> claim_names(const JobPlan& job) {
  if (!job.claim.empty()) return {job.claim};
  if (!job.volume_each) return {job.name + "-checkpoints"};
  std::vector<std::string> names;
  for (int rank = 0; rank < job.parallelism; ++rank) names.push_back(job.name + "-checkpoints-" + std::to_string(rank));
  return names;
}

std::string claim_name(const JobPlan& job) {
  return claim_names(job).front();
}

JsonObject claim_spec(const JobPlan& job) {
  const bool shared = (job.parallelism > 1 || job.on_share) && !job.volume_each;
  return {{"accessModes", JsonArray{shared ? "ReadWriteMany" : "ReadWriteOnce"}},
          {"storageClassName", shared ? "shared" : "zonal"},
          {"resources", JsonObject{{"requests", JsonObject{{"storage", "1Gi"}}}}}};
}

Value job_object(const JobPlan& job, runtime::WallTime now) {
  JsonObject annotations = trainer_annotations(job);
  JsonObject container = trainer_container(job);
  add_probes(job, annotations, container);
  JsonObject volume;
  if (job.claim.empty()) {
    volume["claimTemplate"] = JsonObject{{"spec", claim_spec(job)}};
    if (job.volume_each) volume["access"] = "PerIndex";
  } else {
    volume["claimName"] = job.claim;
  }
  JsonObject pod{{"containers", JsonArray{container}}};
  if (job.sidecars > 0) pod["initContainers"] = sidecars_of(job);
  if (job.other_machines) {
    pod["nodeSelector"] = JsonObject{{kOtherMachinesLabel, "true"}};
    pod["tolerations"] = JsonArray{JsonObject{{"key", "nvidia.com/gpu"}, {"operator", "Exists"}},
                                   JsonObject{{"key", kOtherMachinesLabel}, {"operator", "Exists"}}};
  } else if (!job.pooled) {
    pod["tolerations"] = JsonArray{JsonObject{{"key", "nvidia.com/gpu"}, {"operator", "Exists"}}};
  }
  JsonObject spec{{"parallelism", job.parallelism},
                  {"checkpoint", JsonObject{{"path", "/checkpoints"},
                                            {"graceSeconds", job.grace_seconds},
                                            {"periodSeconds", job.save_every_steps},
                                            {"format", format_of(job)},
                                            {"volume", std::move(volume)}}}};
  if (const int keep = kept(job); keep > 0) spec["checkpoint"].as_object()["keep"] = keep;
  if (job.pooled) spec["poolName"] = kPoolName;
  if (job.progress_timeout_seconds > 0) spec["progressTimeoutSeconds"] = job.progress_timeout_seconds;
  if (job.deadline_seconds > 0) spec["activeDeadlineSeconds"] = job.deadline_seconds;
  if (job.keep_failed_pods > 0) spec["keepFailedPods"] = job.keep_failed_pods;
  if (JsonObject placement = placement_of(job, now); !placement.empty()) spec["placement"] = std::move(placement);
  if (job.interruption_limit > 0) spec["interruption"] = JsonObject{{"limit", job.interruption_limit}};
  spec["template"] = JsonObject{{"metadata", JsonObject{{"annotations", annotations}}}, {"spec", std::move(pod)}};
  JsonObject metadata{{"name", job.name}, {"namespace", kJobNamespace}};
  if (job.queued) {
    JsonObject labels{{"kueue.x-k8s.io/queue-name", kQueue}};
    if (job.urgent) labels["kueue.x-k8s.io/priority-class"] = kUrgent;
    metadata["labels"] = std::move(labels);
  }
  return JsonObject{{"apiVersion", "reprise.dev/v1alpha1"},
                    {"kind", "ResumableJob"},
                    {"metadata", std::move(metadata)},
                    {"spec", std::move(spec)}};
}

}  // namespace reprise::simulator
