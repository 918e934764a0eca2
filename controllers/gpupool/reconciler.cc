#include "controllers/gpupool/reconciler.h"

#include <algorithm>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/apply.h"
#include "controllers/gpupool/node_pools.h"
#include "controllers/metrics/condition_changes.h"
#include "controllers/metrics/table.h"
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

template <class T>
void add_if_absent(const runtime::Store<T>& store, std::string& missing) {
  if (!store.absent()) return;
  constexpr kube::KindInfo kind = kube::KindOf<T>::info();
  if (!missing.empty()) missing += " and ";
  missing += std::string(kind.plural) + "." + std::string(kind.group) + " (" + std::string(kind.version) + ")";
}

std::string joined(const std::vector<Obstacle>& obstacles) {
  std::string all;
  for (const Obstacle& each : obstacles) all += (all.empty() ? "" : "; ") + each.message;
  return all;
}

// What was rejected to keep a map tidy is tried again so much later.
constexpr std::chrono::minutes kTidyAgain(10);

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
      caches_.config_maps.get(settings_.device_plugin_namespace, device_plugin_config_map(*seen.pool));
  seen.overlays_served = !caches_.overlays.absent();
  add_if_absent(caches_.node_pools, seen.missing_kinds);
  add_if_absent(caches_.node_claims, seen.missing_kinds);
  seen.jobs = count_jobs(caches_.jobs.by_index(kByPool, name));
  return seen;
}

// That an old key stays costs nothing: it keeps no pool from anything.
void PoolReconciler::tidy_device_plugin(runtime::ReconcileContext& context) {
  const auto config_map = caches_.config_maps.get(settings_.device_plugin_namespace, kDefaultConfigMap);
  if (!config_map || config_map->meta.label("app.kubernetes.io/managed-by") != "reprise") return;
  const runtime::Instant now = context.clock().steady();
  {
    const std::lock_guard lock(mutex_);
    if (now < tidy_again_) return;
  }
  for (const std::string& key : unused_device_plugin_keys(*config_map, caches_.pools.all())) {
    if (is_read(key, caches_.nodes.all())) continue;
    auto removed = context.patch<kube::ConfigMap>(
        settings_.device_plugin_namespace, std::string(kDefaultConfigMap), runtime::PatchType::Merge,
        config_map_key_patch(key, std::nullopt, config_map->meta.resource_version));
    // One key a pass: the version has moved, the change itself brings the next pass.
    if (removed || removed.error().error_class == runtime::ErrorClass::Conflict) return;
    context.logger().warning("Kept an unused key of the device plugin's ConfigMap",
                             {{"key", key}, {"error", removed.error().message}});
    const std::lock_guard lock(mutex_);
    tidy_again_ = now + kTidyAgain;
    return;
  }
}

std::shared_ptr<PoolReconciler::Memory> PoolReconciler::recall(const runtime::ObjectKey& key,
                                                               const std::string& pool_uid) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Memory>& memory = memories_[key];
  // What is known of an earlier pool of that name is not about this one.
  if (!memory || memory->pool_uid != pool_uid) memory = std::make_shared<Memory>(Memory{pool_uid, {}, {}});
  return memory;
}

void PoolReconciler::forget(const runtime::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  memories_.erase(key);
}

Result<runtime::Next> PoolReconciler::serve(runtime::ReconcileContext& context, const api::GpuPool& pool,
                                            const Observation& seen, Memory& memory) const {
  Plan plan = decide(seen);
  memory.attempts.begin(pool.meta.generation);
  recorder_.know_pool(pool.meta.name);
  const Applied applied = apply(context, settings_, pool, plan.actions, memory.attempts);
  if (applied.stuck_node_claims_ended > 0)
    recorder_.record({{metrics::kStuckNodeClaims,
                       {{"pool", pool.meta.name}},
                       static_cast<double>(applied.stuck_node_claims_ended)}});
  const runtime::Instant now = context.clock().steady();
  memory.attempts.end(now);
  if (const auto due = memory.attempts.next())
    plan.wake_by(seen.now + std::chrono::ceil<std::chrono::seconds>(*due - now));
  // What was decided on an old view is not reported.
  if (applied.error && applied.error->error_class != runtime::ErrorClass::Unavailable)
    return runtime::Next::failed(*applied.error, plan.wake_at, context.clock());
  if (!applied.obstacles.empty())
    show_rejection(seen, reason_of(applied.obstacles.front().cause), joined(applied.obstacles), plan);
  const auto written = runtime::write_status_if_changed(context, pool, plan.status);
  if (!written) return runtime::Next::failed(written.error(), plan.wake_at, context.clock());
  if (*written == runtime::StatusWrite::Gone) return runtime::Next::done();
  if (*written == runtime::StatusWrite::Written)
    recorder_.record(
        metrics::changes_of_conditions("GpuPool", pool.status.conditions, plan.status.conditions, seen.now));
  for (const Announcement& said : plan.announcements) {
    context.events().record(pool, said.warning ? runtime::EventType::Warning : runtime::EventType::Normal, said.reason,
                            said.action, said.note);
  }
  if (applied.error) return runtime::Next::failed(*applied.error, plan.wake_at, context.clock());
  if (plan.wake_at) return runtime::Next::at(*plan.wake_at, context.clock());
  return runtime::Next::done();
}

Result<runtime::Next> PoolReconciler::reconcile(runtime::ReconcileContext& context, const runtime::ObjectKey& key) {
  auto pool = caches_.pools.get(key);
  context.set_owner(pool ? pool->meta.uid : "device-plugin-config");
  if (!pool) {
    forget(key);
    tidy_device_plugin(context);
    return runtime::Next::done();
  }
  const std::shared_ptr<Memory> memory = recall(key, pool->meta.uid);
  Observation seen = observe(context, pool);
  seen.sightings = memory->sightings.look(seen.node_claims, context.clock().steady());
  auto next = serve(context, *pool, seen, *memory);
  tidy_device_plugin(context);
  return next;
}

}  // namespace reprise::controllers::gpupool
