#include "controllers/gpupool/shell/reconciler.h"

#include <algorithm>

#include "controllers/common/conditions.h"
#include "controllers/common/job_of.h"
#include "controllers/gpupool/fallback/fallback_nodes.h"
#include "controllers/gpupool/machines/back_off.h"
#include "controllers/gpupool/machines/drifted_nodes.h"
#include "controllers/gpupool/node_pools/device_plugin.h"
#include "controllers/gpupool/node_pools/existing_nodes.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/gpupool/shell/apply.h"
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

// A condition's message has its bound; there may be an obstacle for each node.
std::string joined(const std::vector<Obstacle>& obstacles) {
  constexpr std::size_t kShown = 10;
  std::string all;
  for (std::size_t i = 0; i < obstacles.size() && i < kShown; ++i) all += (i == 0 ? "" : "; ") + obstacles[i].message;
  if (obstacles.size() > kShown) all += "; and " + std::to_string(obstacles.size() - kShown) + " more";
  return all;
}

void announce(runtime::ReconcileContext& context, const api::GpuPool& pool,
              const std::vector<Announcement>& announcements) {
  for (const Announcement& said : announcements) {
    context.events().record(pool, said.warning ? runtime::EventType::Warning : runtime::EventType::Normal, said.reason,
                            said.action, said.note);
  }
}

// Keeps the obstacles to actions that the plan does not ask for now. The record of a node that was not given back goes,
// so that it names no later deletion as the pool's: the next try writes it anew.
void keep_in_mind(const std::vector<std::string>& still_refused, runtime::Instant now, Attempts& attempts,
                  std::vector<api::RolledNode>& rolled, std::vector<Obstacle>& obstacles) {
  for (const std::string& claim : still_refused) {
    if (auto obstacle = attempts.still_rejected(std::string(kDeleteNodeClaim) + claim, now))
      obstacles.push_back(*std::move(obstacle));
  }
  const auto refused = attempts.rejected(kDeleteNodeClaim, now);
  std::erase_if(rolled, [&](const api::RolledNode& each) {
    const auto found = refused.find(each.node_claim);
    return found != refused.end() && !found->second;
  });
}

// A rejected write that was to keep a map tidy is tried again after this time.
constexpr std::chrono::minutes kTidyAgain(10);

}  // namespace

Observation PoolReconciler::observe(const runtime::ReconcileContext& context,
                                    std::shared_ptr<const api::GpuPool> pool) const {
  Observation seen;
  seen.now = std::chrono::floor<std::chrono::seconds>(context.clock().wall());
  seen.price_table = settings_.prices;
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
  seen.candidates =
      candidates(name, seen.pool->spec.existing_nodes ? &seen.pool->spec.existing_nodes->selector : nullptr);
  if (seen.pool->spec.existing_nodes) {
    for (auto& each : caches_.pools.all()) {
      if (each->spec.existing_nodes) seen.pools_of_existing_nodes.push_back(std::move(each));
    }
  }
  seen.node_claims = caches_.node_claims.by_index(kByPool, name);
  for (const auto& node : seen.nodes) {
    for (auto& pod : caches_.pods.by_index(kByNode, node->meta.name)) seen.pods.push_back(std::move(pod));
  }
  const bool may_roll = has_any_drifted(seen.node_claims) || has_fallback_nodes(*seen.pool, seen.node_claims);
  const bool starts = !seen.pool->status.startup.starting.empty();
  if (looks_at_waiting_pods(*seen.pool) || may_roll || starts)
    seen.waiting = caches_.pods.by_index(kByPoolAskedFor, name);
  if (starts) seen.waiting_anywhere = caches_.pods.by_index(kByGpusAskedFor, kAnywhere);
  seen.warm_pods = caches_.pods.by_index(kByPoolKeptWarm, name);
  seen.device_plugin_config =
      caches_.config_maps.get(settings_.device_plugin_namespace, device_plugin_config_map(*seen.pool));
  seen.overlays_served = !caches_.overlays.absent();
  add_if_absent(caches_.node_pools, seen.missing_kinds);
  add_if_absent(caches_.node_claims, seen.missing_kinds);
  const auto jobs = jobs_of(*seen.pool);
  seen.jobs = count_jobs(jobs);
  if (may_roll) {
    for (const auto& job : jobs) seen.users.emplace(job->meta.uid, job);
  }
  return seen;
}

// The jobs of namespaces that may use the pool, and those with an attempt under way: the namespace may have been
// allowed when that began.
std::vector<std::shared_ptr<const api::ResumableJob>> PoolReconciler::jobs_of(const api::GpuPool& pool) const {
  auto jobs = caches_.jobs.by_index(kByPool, pool.meta.name);
  if (!pool.spec.allowed_namespaces) return jobs;
  std::erase_if(jobs, [&](const auto& job) {
    if (!job->status.members.empty()) return false;
    const auto ns = caches_.namespaces.get("", job->meta.namespace_);
    return !ns || !pool.spec.allowed_namespaces->matches(ns->meta.labels);
  });
  return jobs;
}

// True for a pod that asks for any device, since systems that share GPUs give them names of their own; and for any pod
// of a job.
bool PoolReconciler::uses_gpus(const kube::Pod& pod) const {
  if (has_ended(pod)) return false;
  if (!pod.resource_requests.empty()) return true;
  const kube::OwnerReference* const owner = controlling_job(pod.meta);
  const auto job = owner == nullptr ? nullptr : caches_.jobs.by_uid(owner->uid);
  return job && is_of_job(pod.meta, *job);
}

CandidateNodes PoolReconciler::candidates(const std::string& pool, const kube::LabelSelector* selector) const {
  CandidateNodes found;
  found.nodes = caches_.nodes.by_index(kByLabeller, pool);
  if (selector != nullptr) {
    for (auto& node : caches_.nodes.all()) {
      // The others are there by the index.
      if (node->meta.label(kLabelledByLabel) != pool && selector->matches(node->meta.labels))
        found.nodes.push_back(std::move(node));
    }
  }
  for (const auto& node : found.nodes) {
    for (const auto& pod : caches_.pods.by_index(kByNode, node->meta.name)) {
      if (!uses_gpus(*pod)) continue;
      std::string name = std::string(pod->meta.namespace_) + "/" + std::string(pod->meta.name);
      std::string& user = found.users[std::string(node->meta.name)];
      if (user.empty() || name < user) user = std::move(name);
    }
  }
  return found;
}

Result<void> PoolReconciler::release(runtime::ReconcileContext& context, const std::string& pool) const {
  for (const LabelNode& change : release_nodes(pool, candidates(pool, nullptr))) {
    if (auto done = write_labels(context, change); !done)
      return std::unexpected(std::move(done).error().with_context("label Node " + change.node));
  }
  return {};
}

// Removes unused keys. A failure is harmless: an old key keeps no pool from anything.
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
  // The memory of an earlier pool of that name is not about this one.
  if (!memory || memory->pool_uid != pool_uid) memory = std::make_shared<Memory>(Memory{pool_uid, {}, {}, {}, {}});
  return memory;
}

void PoolReconciler::forget(const runtime::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  memories_.erase(key);
}

void PoolReconciler::tell(const std::string& pool, const api::GpuPoolStatus& before, const api::GpuPoolStatus& written,
                          kube::Time now) const {
  if (const std::int32_t failed = newly_failed(before.startup, written.startup); failed > 0)
    recorder_.record({{metrics::kStuckNodeClaims, {{"pool", pool}}, static_cast<double>(failed)}});
  recorder_.record(metrics::changes_of_conditions("GpuPool", before.conditions, written.conditions, now));
}

Result<runtime::Next> PoolReconciler::serve(runtime::ReconcileContext& context, const api::GpuPool& pool,
                                            const Observation& seen, Memory& memory) const {
  Plan plan = decide(seen, settings_);
  recorder_.know_pool(pool.meta.name);
  Applied applied = apply(context, settings_, pool, plan.actions, memory.attempts);
  const runtime::Instant now = context.clock().steady();
  keep_in_mind(plan.still_refused, now, memory.attempts, plan.status.drift.rolled, applied.obstacles);
  memory.attempts.end(now);
  if (const auto due = memory.attempts.next())
    plan.wake_by(seen.now + std::chrono::ceil<std::chrono::seconds>(*due - now));
  // A decision on an old view is not reported.
  if (applied.error && applied.error->error_class != runtime::ErrorClass::Unavailable)
    return runtime::Next::failed(*applied.error, plan.wake_at, context.clock());
  if (!applied.obstacles.empty())
    show_rejection(seen, reason_of(applied.obstacles.front().cause), joined(applied.obstacles), plan);
  const auto written = runtime::write_status_if_changed(context, pool, plan.status);
  if (!written) {
    if (written.error().error_class == runtime::ErrorClass::Unavailable)
      memory.unanswered_writes.remember({pool.status, plan.status, {seen.now, plan.announcements}});
    return runtime::Next::failed(written.error(), plan.wake_at, context.clock());
  }
  if (*written == runtime::StatusWrite::Gone) return runtime::Next::done();
  if (*written == runtime::StatusWrite::Written) {
    tell(pool.meta.name, pool.status, plan.status, seen.now);
    memory.unanswered_writes.clear();
  }
  announce(context, pool, plan.announcements);
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
    if (auto released = release(context, key.name); !released) return std::unexpected(std::move(released).error());
    return runtime::Next::done();
  }
  const std::shared_ptr<Memory> memory = recall(key, pool->meta.uid);
  if (const auto stored = memory->unanswered_writes.stored(pool->status)) {
    tell(pool->meta.name, stored->before, stored->wanted, stored->told.now);
    announce(context, *pool, stored->told.announcements);
  }
  Observation seen = observe(context, pool);
  memory->attempts.begin(pool->meta.generation);
  seen.refused_deletions = memory->attempts.rejected(kDeleteNodeClaim, context.clock().steady());
  seen.sightings = memory->sightings.look(seen.node_claims, context.clock().steady());
  seen.unanswered = memory->unanswered.look(seen, context.clock().steady());
  auto next = serve(context, *pool, seen, *memory);
  tidy_device_plugin(context);
  return next;
}

}  // namespace reprise::controllers::gpupool
