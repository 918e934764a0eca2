#include "controllers/gpupool/reconciler.h"

#include <algorithm>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/apply.h"
#include "controllers/gpupool/node_pools.h"
#include "runtime/manager/status_writer.h"

namespace reprise::controllers::gpupool {
namespace {

using runtime::Result;

JobsOfPool count_jobs(const std::vector<std::shared_ptr<const api::ResumableJob>>& jobs) {
  JobsOfPool counted;
  for (const auto& job : jobs) {
    const api::ResumableJobStatus& status = job->status;
    if (!is_true(status.conditions, "Complete") && !is_true(status.conditions, "Failed")) ++counted.unfinished;
    counted.interruptions += status.interruption_count;
    if (status.last_interruption &&
        (!counted.last_interruption || *counted.last_interruption < status.last_interruption->time)) {
      counted.last_interruption = status.last_interruption->time;
    }
  }
  return counted;
}

// What refuses may change its mind without a change of the pool: a webhook, a quota, somebody else's object.
constexpr std::chrono::seconds kAskAgain(60);

template <class T>
void add_if_absent(const runtime::Store<T>& store, std::string& missing) {
  if (!store.absent()) return;
  constexpr api::KindInfo kind = api::KindOf<T>::info();
  if (!missing.empty()) missing += " and ";
  missing += std::string(kind.plural) + "." + std::string(kind.group) + " (" + std::string(kind.version) + ")";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

}  // namespace

Observation PoolReconciler::observe(const runtime::ReconcileContext& context,
                                    std::shared_ptr<const api::GpuPool> pool) const {
  Observation seen;
  seen.now = std::chrono::floor<std::chrono::seconds>(context.clock().wall());
  seen.pool = std::move(pool);
  const std::string& name = seen.pool->meta.name;
  for (auto& node_pool : caches_.node_pools.by_index(kByPool, name)) {
    const std::string node_pool_name = node_pool->meta.name;
    seen.node_pools[node_pool_name] = std::move(node_pool);
  }
  for (const api::PoolCapacity& capacity : seen.pool->spec.capacity) {
    const std::string wanted = node_pool_name(name, capacity.type);
    if (auto found = caches_.node_pools.get("", wanted)) seen.node_pools[wanted] = std::move(found);
  }
  seen.overlays = caches_.overlays.by_index(kByPool, name);
  for (const api::NodeOverlay& wanted : desired_overlays(*seen.pool)) {
    auto found = caches_.overlays.get("", wanted.meta.name);
    const auto same = [&](const auto& each) { return each->meta.name == wanted.meta.name; };
    if (found && std::ranges::none_of(seen.overlays, same)) seen.overlays.push_back(std::move(found));
  }
  seen.nodes = caches_.nodes.by_index(kByPool, name);
  seen.node_claims = caches_.node_claims.by_index(kByPool, name);
  for (const auto& node : seen.nodes) {
    for (auto& pod : caches_.pods.by_index(kByNode, node->meta.name)) seen.pods.push_back(std::move(pod));
  }
  seen.device_plugin_config =
      caches_.config_maps.get(settings_.operator_namespace, device_plugin_config_map(*seen.pool));
  seen.overlays_served = !caches_.overlays.absent();
  add_if_absent(caches_.node_pools, seen.missing_kinds);
  add_if_absent(caches_.node_claims, seen.missing_kinds);
  seen.jobs = count_jobs(caches_.jobs.by_index(kByPool, name));
  return seen;
}

Result<void> PoolReconciler::tidy_device_plugin(runtime::ReconcileContext& context) const {
  const auto config_map = caches_.config_maps.get(settings_.operator_namespace, kDefaultConfigMap);
  if (!config_map || config_map->meta.label("app.kubernetes.io/managed-by") != "reprise") return {};
  for (const std::string& key : unused_device_plugin_keys(*config_map, caches_.pools.all())) {
    auto removed = context.patch<api::ConfigMap>(
        settings_.operator_namespace, std::string(kDefaultConfigMap), runtime::PatchType::Merge,
        config_map_key_patch(key, std::nullopt, config_map->meta.resource_version));
    // One key a pass: the version has moved, the change itself brings the next pass.
    if (!removed) return std::unexpected(std::move(removed).error().with_context("remove key " + key));
    return {};
  }
  return {};
}

Result<runtime::Next> PoolReconciler::reconcile(runtime::ReconcileContext& context, const runtime::ObjectKey& key) {
  auto pool = caches_.pools.get(key);
  context.set_owner(pool ? pool->meta.uid : "device-plugin-config");
  if (auto tidied = tidy_device_plugin(context); !tidied) return std::unexpected(std::move(tidied).error());
  if (!pool) return runtime::Next::done();

  const Observation seen = observe(context, pool);
  Plan plan = decide(seen);
  const auto refused = apply(context, settings_, plan.actions);
  if (!refused) return std::unexpected(refused.error());
  if (!refused->empty()) {
    show_refusal(seen, joined(*refused), plan);
    plan.wake_by(seen.now + kAskAgain);
  }
  const auto written = runtime::write_status_if_changed(context, *pool, plan.status);
  if (!written) return std::unexpected(written.error());
  if (*written == runtime::StatusWrite::Gone) return runtime::Next::done();
  for (const Announcement& said : plan.announcements) {
    context.events().record(*pool, said.warning ? runtime::EventType::Warning : runtime::EventType::Normal, said.reason,
                            said.action, said.note);
  }
  if (plan.wake_at) return runtime::Next::at(*plan.wake_at, context.clock());
  return runtime::Next::done();
}

}  // namespace reprise::controllers::gpupool
