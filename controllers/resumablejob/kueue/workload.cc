#include "controllers/resumablejob/kueue/workload.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/pods/pod_builder.h"
#include "runtime/kube/conditions.h"
#include "runtime/kube/owner_reference.h"

namespace reprise::controllers::resumablejob {
namespace {

constexpr std::string_view kRequestAnnotation = "reprise.dev/request";
constexpr std::string_view kKueueJobUidLabel = "kueue.x-k8s.io/job-uid";

// FNV-1a: the same in every process, and no secret is kept by it.
class Fingerprint {
 public:
  Fingerprint& add(std::string_view text) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
    mix(0);  // "a","bc" is not "ab","c"
    return *this;
  }
  [[nodiscard]] std::string text() const {
    std::array<char, 16> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), sum_, 16);
    return {digits.data(), end};
  }

 private:
  void mix(unsigned char byte) { sum_ = (sum_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t sum_ = 0xcbf29ce484222325ULL;
};

std::string fingerprint_of(const api::ResumableJob& job) {
  Fingerprint request;
  request.add(queue_name(job)).add(job.meta.label(kPriorityClassLabel)).add(job.spec.pool_name);
  request.add(std::to_string(job.spec.parallelism)).add(job.spec.pod_template.json.text());
  if (job.spec.placement) {
    request.add(std::to_string(static_cast<int>(job.spec.placement->capacity)));
    for (const kube::Text& zone : job.spec.placement->zones) request.add(zone);
  }
  return request.text();
}

}  // namespace

std::string_view queue_name(const api::ResumableJob& job) {
  return job.meta.label(kQueueNameLabel);
}

bool lacks_workload(const Observation& seen) {
  return !queue_name(*seen.job).empty() && seen.kueue.served && !seen.kueue.workload;
}

std::string workload_name(const api::ResumableJob& job) {
  constexpr std::size_t enough = 8;  // to tell a job from an earlier one of its name
  return "resumablejob-" + std::string(job.meta.name) + "-" +
         std::string(std::string_view(job.meta.uid).substr(0, enough));
}

api::WorkloadRequest workload_for(const Observation& seen) {
  const api::ResumableJob& job = *seen.job;
  api::WorkloadRequest request;
  request.meta.name = workload_name(job);
  request.meta.namespace_ = job.meta.namespace_;
  request.meta.labels = {{std::string(kJobLabel), job.meta.name},
                         {std::string(kJobUidLabel), job.meta.uid},
                         {std::string(kKueueJobUidLabel), job.meta.uid}};
  request.meta.annotations = {{std::string(kRequestAnnotation), fingerprint_of(job)}};
  request.meta.owner_references = {kube::owner_reference(job, kube::BlockOwnerDeletion::No)};
  request.spec.queue_name = queue_name(job);
  request.spec.priority = seen.kueue.priority;
  request.spec.priority_class_ref = seen.kueue.priority_class;
  request.count = job.spec.parallelism;
  request.pod = build_queued_pod(seen);
  return request;
}

bool asks_for_the_same(const api::Workload& workload, const api::ResumableJob& job) {
  return workload.meta.annotation(kRequestAnnotation) == fingerprint_of(job);
}

bool is_admitted(const api::Workload& workload) {
  return workload.is_true("Admitted") && !workload.is_true("Evicted") && !workload.is_true("Finished") &&
         workload.spec.active && !workload.meta.deletion_timestamp;
}

bool holds_quota_after_eviction(const api::Workload& workload) {
  return workload.is_true("Evicted") && (workload.has_admission || workload.is_true("QuotaReserved"));
}

bool waits_for_recovery(const api::Workload& workload) {
  const kube::Condition* ready = workload.condition("PodsReady");
  return ready != nullptr && ready->reason == kWaitForRecovery;
}

std::string why_not_admitted(const api::Workload& workload) {
  const std::string name = "Workload " + std::string(workload.meta.name);
  if (workload.meta.deletion_timestamp) return name + " is being deleted";
  if (!workload.spec.active) return name + " is deactivated (spec.active is false)";
  for (const char* type : {"Evicted", "Finished"}) {
    const kube::Condition* found = workload.condition(type);
    if (found != nullptr && workload.is_true(type))
      return name + ": " + type + ", " + found->reason + ": " + found->message;
  }
  for (const char* type : {"QuotaReserved", "Admitted"}) {
    const kube::Condition* found = workload.condition(type);
    if (found != nullptr && !workload.is_true(type)) return name + ": " + found->reason + ": " + found->message;
  }
  return name + " waits in LocalQueue " + std::string(workload.spec.queue_name);
}

std::optional<std::string> quota_taken_away(const Observation& seen) {
  if (lacks_workload(seen)) return "Workload " + workload_name(*seen.job) + " is gone";
  // A job whose label is taken off keeps the admission, and what may take it away, until the attempt ends.
  if (!seen.kueue.served || !seen.kueue.workload || is_admitted(*seen.kueue.workload)) return std::nullopt;
  return why_not_admitted(*seen.kueue.workload);
}

std::vector<kube::Condition> released(const api::Workload& workload, kube::Time now) {
  std::vector<kube::Condition> conditions = workload.conditions;
  const kube::Condition* evicted = workload.condition("Evicted");
  const std::string reason = evicted == nullptr ? "Pending" : std::string(evicted->reason);
  const std::string message = evicted == nullptr ? "" : std::string(evicted->message);
  kube::ConditionSetter set(conditions, workload.meta.generation, now);
  // Kueue itself says after other evictions when the Workload may be queued again.
  const bool at_once = reason == "Preempted" || reason == "NodeFailures";
  set.set("Requeued", at_once ? kube::ConditionStatus::True : kube::ConditionStatus::False, reason, message);
  set.set_false("QuotaReserved", "Pending", message);
  set.set_false("Admitted", "NoReservation", "The workload has no reservation");
  if (workload.condition("PodsReady") != nullptr) set.set_false("PodsReady", "WaitForStart", "Not all pods are ready");
  return conditions;
}

std::vector<kube::Condition> with_condition(const api::Workload& workload, kube::Time now, std::string_view type,
                                            kube::ConditionStatus status, std::string_view reason,
                                            std::string_view message) {
  std::vector<kube::Condition> conditions = workload.conditions;
  kube::ConditionSetter(conditions, workload.meta.generation, now).set(type, status, reason, message);
  return conditions;
}

}  // namespace reprise::controllers::resumablejob
