#include "apps/kubectl-reprise/cluster/job_pods.h"

#include <algorithm>
#include <charconv>

#include "api/labels.h"
#include "api/training_container.h"

namespace reprise::plugin {
namespace {

constexpr std::string_view kIndexLabel = "batch.kubernetes.io/job-completion-index";

std::int32_t number_of(std::string_view text) {
  std::int32_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::int32_t attempt_of(const kube::Pod& pod) {
  return number_of(pod.meta.label(api::kAttemptLabel));
}

std::int32_t index_of(const kube::Pod& pod) {
  return number_of(pod.meta.label(kIndexLabel));
}

runtime::Result<std::vector<kube::Pod>> pods_of(runtime::Client& client, const api::ResumableJob& job) {
  auto pods = list<kube::Pod>(client, job.meta.namespace_,
                              {.label_selector = std::string(api::kJobUidLabel) + "=" + std::string(job.meta.uid) +
                                                 "," + std::string(api::kAttemptLabel)});
  if (!pods) return pods;
  std::ranges::sort(*pods, {}, [](const kube::Pod& pod) { return std::pair(attempt_of(pod), index_of(pod)); });
  return pods;
}

std::string trainer_of(const api::ResumableJob& job) {
  if (!job.spec.container.empty()) return job.spec.container;
  const api::TemplateContainer* trains = api::training_container(job);
  return trains == nullptr ? std::string() : std::string(trains->name);
}

}  // namespace reprise::plugin
