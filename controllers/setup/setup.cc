#include "controllers/setup/setup.h"

#include <algorithm>
#include <iterator>

#include "controllers/common/shared_informers.h"
#include "controllers/gpupool/shell/register.h"
#include "controllers/metrics/job_state.h"
#include "controllers/metrics/recorder.h"
#include "controllers/metrics/state.h"
#include "controllers/reports/register.h"
#include "controllers/resumablejob/shell/register.h"

namespace reprise::controllers {

struct Controllers::Parts {
  Parts(runtime::Manager& its_manager, const SetupOptions& options)
      : manager(its_manager),
        recorder(manager.metrics()),
        shared(manager),
        jobs(manager, shared, recorder,
             {.agent = {.agent_image = options.agent_image,
                        .agent_image_pull_policy = options.agent_image_pull_policy,
                        .agent_image_pull_secrets = options.agent_image_pull_secrets,
                        .prices = options.prices},
              .max_concurrent_reconciles = options.max_concurrent_reconciles,
              .kueue = options.kueue,
              .kueue_priority_boost = options.kueue_priority_boost,
              .spans = options.spans,
              .inbox = receives_reports(options) ? &inbox : nullptr}),
        received(has_port(options) ? std::make_unique<reports::Registration>(manager, shared, inbox, options.reports)
                                   : nullptr),
        pools(manager, shared, recorder,
              {.device_plugin_namespace = options.device_plugin_namespace,
               .own_namespace = options.own_namespace,
               .agent_image = options.agent_image,
               .agent_image_pull_policy = options.agent_image_pull_policy,
               .agent_image_pull_secrets = options.agent_image_pull_secrets,
               .prices = options.prices,
               .max_concurrent_reconciles = options.max_concurrent_reconciles}) {
    if (options.report_target) {
      inbox.target.set(*options.report_target);
      shared.pods.add_listener(inbox.reports);
    }
    // Only the replica that leads shows them: sums over the replicas count nothing twice.
    metrics::add_gauges(
        manager.metrics(), [this, limit = options.job_metrics_limit]() -> std::vector<runtime::Reading> {
          if (!manager.leading()) return {};
          const kube::Time now = std::chrono::floor<std::chrono::microseconds>(manager.clock().wall());
          const auto all_jobs = shared.jobs.store().all();
          auto found = metrics::readings(all_jobs, shared.pools.store().all(), now, [&](const api::ResumableJob& job) {
            return std::ranges::any_of(job.status.members,
                                       [&](const auto& rank) { return inbox.reports.speaks(rank.pod_uid, now); });
          });
          std::ranges::move(metrics::job_readings(all_jobs, now, limit), std::back_inserter(found));
          return found;
        });
  }

  static bool has_port(const SetupOptions& options) {
    return !options.reports.bind_address.empty() && options.reports.bind_address != "0";
  }
  static bool receives_reports(const SetupOptions& options) { return has_port(options) || options.report_target; }

  runtime::Manager& manager;
  metrics::Recorder recorder;
  SharedInformers shared;
  reports::Inbox inbox;
  resumablejob::Registration jobs;
  std::unique_ptr<reports::Registration> received;
  gpupool::Registration pools;
};

std::vector<kube::Permission> permissions(const PermissionOptions& options) {
  std::vector<kube::Permission> all = runtime::manager_permissions();
  for (auto&& more : {shared_permissions(), resumablejob::permissions(options.kueue, options.kueue_priority_boost),
                      gpupool::permissions(options.device_plugin_namespace)})
    all.insert(all.end(), more.begin(), more.end());
  if (options.secure_metrics) {
    const auto more = runtime::secure_metrics_permissions();
    all.insert(all.end(), more.begin(), more.end());
  }
  if (options.reports) {
    const auto more = reports::permissions();
    all.insert(all.end(), more.begin(), more.end());
  }
  return kube::merged(kube::narrowed(all, options.watch_namespaces));
}

Controllers::Controllers(runtime::Manager& manager, SetupOptions options)
    : parts_(std::make_unique<Parts>(manager, options)) {}

Controllers::~Controllers() = default;

runtime::HttpAnswer Controllers::take_report(const reports::PodIdentity& who, const std::string& body) {
  return reports::take_report({parts_->shared.pods.store(), parts_->shared.jobs.store()}, parts_->manager.clock(), who,
                              body, parts_->inbox.reports);
}

}  // namespace reprise::controllers
