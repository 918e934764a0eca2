#include "controllers/resumablejob/shell/reconciler.h"

#include <algorithm>

#include "controllers/metrics/job_changes.h"
#include "controllers/resumablejob/claims/claim_reservation.h"
#include "controllers/resumablejob/decide/decide.h"
#include "controllers/resumablejob/shell/apply.h"
#include "controllers/resumablejob/shell/observe.h"
#include "controllers/traces/job_spans.h"
#include "runtime/manager/status_writer.h"

namespace reprise::controllers::resumablejob {
namespace {

template <class... Kinds>
bool has_any(const Plan& plan) {
  return std::ranges::any_of(plan.actions,
                             [](const Action& action) { return (std::holds_alternative<Kinds>(action) || ...); });
}

void announce(runtime::ReconcileContext& context, const api::ResumableJob& job,
              const std::vector<Announcement>& announcements) {
  for (const Announcement& said : announcements) {
    context.events().record(job,
                            said.type == EventType::Warning ? runtime::EventType::Warning : runtime::EventType::Normal,
                            said.reason, said.action, said.note);
    context.logger().info("Decided", {{"reason", said.reason}, {"note", said.note}});
  }
}

// Shows on the claims what the API server has just accepted, whatever the cache shows of them; a version that is newer
// than the one that was written against, the cache has from the API server itself.
void show_reservations(Observation& seen, const Plan& plan) {
  for (const Action& action : plan.actions) {
    const auto* reserve = std::get_if<ReserveClaim>(&action);
    if (reserve == nullptr) continue;
    const auto found = seen.claims.find(reserve->name);
    if (found == seen.claims.end() || found->second->meta.resource_version != reserve->resource_version) continue;
    auto reserved = std::make_shared<kube::PersistentVolumeClaim>(*found->second);
    reserved->meta.annotations[std::string(kUsedByAnnotation)] = reserve->used_by;
    if (reserve->owners) reserved->meta.owner_references = *reserve->owners;
    found->second = std::move(reserved);
  }
}

// True for plans that must not wait: the nodes of an attempt that ends, and whoever waits for the next, are paid for;
// what an attempt needs is being made for the same reason.
bool is_underway(const Plan& plan) {
  return plan.status.attempt_end.has_value() || has_any<CreateClaim, CreateService, ReserveClaim>(plan);
}

// A webhook answers with whatever code it likes, and something in between with whatever text: no error ends the matter
// for a job, which has deadlines, and trainers to be stopped in time.
runtime::Error may_pass(runtime::Error error) {
  if (error.error_class == runtime::ErrorClass::Terminal) error.error_class = runtime::ErrorClass::Invalid;
  return error;
}

std::vector<std::string> pods_of(const api::ResumableJobStatus& status) {
  std::vector<std::string> uids;
  for (const api::RankStatus& rank : status.members) uids.push_back(rank.pod_uid);
  return uids;
}

}  // namespace

JobReconciler::Memory JobReconciler::recall(const runtime::ObjectKey& key, const std::string& job_uid) {
  const std::lock_guard lock(mutex_);
  const auto found = memories_.find(key);
  // The memory of an earlier job of that name is not about this one.
  if (found != memories_.end() && found->second.job_uid == job_uid) return found->second;
  return Memory{.job_uid = job_uid, .rejection = {}, .rejected_at = {}};
}

void JobReconciler::remember(const runtime::ObjectKey& key, Memory memory) {
  const std::lock_guard lock(mutex_);
  if (memory.rejection.empty() && memory.began_attempt == 0 && memory.first_seen.empty() && !memory.held &&
      !memory.boosted && memory.unanswered.empty()) {
    memories_.erase(key);
  } else {
    memories_[key] = std::move(memory);
  }
}

// Some rejections name the request or count what is used, so that none reads like the last. A status that reported
// each would wake its own job for ever.
void JobReconciler::keep_message(Memory& memory, const std::string& before, runtime::WallTime now) {
  constexpr std::chrono::minutes message_stands{5};
  if (memory.rejection.empty() || memory.rejection == before) return;
  if (!before.empty() && now < memory.rejected_at + message_stands) {
    memory.rejection = before;
  } else {
    memory.rejected_at = now;
  }
}

void JobReconciler::forget(const runtime::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  memories_.erase(key);
}

std::shared_ptr<const api::ResumableJob> JobReconciler::as_held(std::shared_ptr<const api::ResumableJob> job,
                                                                Memory& memory) {
  if (memory.held && !memory.held->fits(*job)) memory.held = nullptr;
  if (!memory.held) return job;
  auto held = std::make_shared<api::ResumableJob>(*job);
  held->status = memory.held->status;
  return held;
}

void JobReconciler::note_waits(Observation& seen, runtime::Instant steady, Memory& memory) {
  const Looked now{.wall = seen.now, .steady = steady};
  if (!memory.first_seen.empty()) memory.first_seen = as_set(std::move(memory.first_seen), memory.looked, now);
  seen.first_seen = memory.first_seen = waits_of(seen, memory.first_seen);
  memory.looked = now;
}

std::vector<runtime::ObjectKey> JobReconciler::held_back() {
  std::vector<std::pair<kube::Time, runtime::ObjectKey>> held;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, memory] : memories_)
      if (memory.held) held.emplace_back(memory.held->due(), key);
  }
  // The status that may wait least is missed most.
  std::ranges::sort(held);
  std::vector<runtime::ObjectKey> keys;
  for (auto& [due, key] : held) keys.push_back(std::move(key));
  return keys;
}

runtime::Result<void> JobReconciler::write_back(runtime::ReconcileContext& context, const runtime::ObjectKey& key) {
  const auto job = caches_.jobs.get(key);
  if (!job) return {};
  context.set_owner(job->meta.uid);
  const Memory memory = recall(key, job->meta.uid);
  if (!memory.held || !memory.held->fits(*job)) return {};
  const auto written = runtime::write_status_if_changed(context, *job, memory.held->status);
  if (!written) return std::unexpected(written.error());
  return {};
}

// Pods of an attempt that this process did not begin: an old view of the job could bring a closed attempt back to life.
runtime::Result<void> JobReconciler::confirm_unchanged(runtime::ReconcileContext& context,
                                                       const api::ResumableJob& job) {
  auto live = context.read_live<api::ResumableJob>(job.meta.namespace_, job.meta.name);
  if (!live) return std::unexpected(std::move(live).error());
  if (live->has_value() && (*live)->meta.uid == job.meta.uid && (*live)->status == job.status) return {};
  return runtime::fail(runtime::ErrorClass::Conflict,
                       "the cache does not show the last status of ResumableJob " + to_string(runtime::key_of(job)));
}

void JobReconciler::tell(const api::ResumableJob& job, const api::ResumableJobStatus& before,
                         const api::ResumableJobStatus& written, kube::Time now) {
  recorder_.record(metrics::changes_of(job, before, written, now));
  if (spans_ == nullptr) return;
  auto spans = traces::spans_of(job, before, written, now);
  if (!spans.empty()) spans_->add(std::move(spans));
}

void JobReconciler::tell_late(runtime::ReconcileContext& context, const api::ResumableJob& job, Memory& memory) {
  const auto stored = memory.unanswered.stored(job.status);
  if (!stored) return;
  tell(job, stored->before, stored->wanted, stored->told.now);
  announce(context, job, stored->told.announcements);
}

runtime::Result<void> JobReconciler::carry_out(runtime::ReconcileContext& context, const api::ResumableJob& job,
                                               const Plan& plan, Memory& memory) {
  const bool of_own_attempt = memory.began_attempt != 0 && memory.began_attempt == plan.status.attempt;
  for (const Action& action : plan.actions) {
    // Asked for, whatever becomes of it: a webhook that rejects each is not asked at every report of a rank.
    if (const auto* boost = std::get_if<BoostPriority>(&action))
      memory.boosted = {boost->boost, context.clock().wall()};
    const auto* create = std::get_if<CreatePod>(&action);
    if (create != nullptr && of_own_attempt) memory.made.insert(create->pod_builder.name);
  }
  auto done = apply(context, job, plan.actions, memory.rejection);
  if (!done && has_any<CreatePod>(plan)) memory.began_attempt = 0;
  return done;
}

// An attempt has just begun and its name stands on the claims: all the rest is looked at again, and where nothing is to
// be written first its pods are made now. Of many jobs that were interrupted at once those that have come so far go on,
// instead of each waiting for all others.
runtime::Result<void> JobReconciler::make_first_pods(runtime::ReconcileContext& context, const api::ResumableJob& job,
                                                     const Observation& before, Plan& begun, Memory& memory) {
  const auto now = caches_.jobs.get(runtime::key_of(job));
  const bool changed = !now || now->meta.uid != job.meta.uid || now->meta.generation != job.meta.generation ||
                       now->meta.deletion_timestamp;
  if (changed) return {};
  auto written = std::make_shared<api::ResumableJob>(job);
  written->status = begun.status;
  const OwnAttempt own{.begun_here = true, .made = memory.made};
  auto seen = observe(caches_, deleted_pods_, context.client(), context, std::move(written), own);
  if (!seen) return {};  // the next pass says so
  seen->now = before.now;
  seen->price_table = before.price_table;
  seen->rejection = before.rejection;
  seen->first_seen = waits_of(*seen, memory.first_seen);
  seen->kueue.boosted = memory.boosted;
  show_reservations(*seen, begun);
  Plan plan = decide(*seen, settings_);
  if (plan.status != begun.status || !plan.announcements.empty()) return {};
  memory.first_seen = std::move(seen->first_seen);
  if (plan.wake_at) begun.wake_by(*plan.wake_at);
  return carry_out(context, job, plan, memory);
}

runtime::Next JobReconciler::act(runtime::ReconcileContext& context, const api::ResumableJob& job,
                                 const Observation& seen, Plan& plan, Memory memory, bool begins) {
  const std::string before = memory.rejection;
  auto done = carry_out(context, job, plan, memory);
  if (done && begins && has_any<ReserveClaim>(plan)) done = make_first_pods(context, job, seen, plan, memory);
  keep_message(memory, before, context.clock().wall());
  const bool newly_rejected = before.empty() && !memory.rejection.empty();  // said at once
  remember(runtime::key_of(job), std::move(memory));
  if (newly_rejected) return runtime::Next::at(context.clock().wall(), context.clock());
  if (!done) return runtime::Next::failed(may_pass(std::move(done).error()), plan.wake_at, context.clock());
  runtime::Next next = plan.wake_at ? runtime::Next::at(*plan.wake_at, context.clock()) : runtime::Next::done();
  next.underway = is_underway(plan);
  return next;
}

runtime::Result<runtime::Next> JobReconciler::reconcile(runtime::ReconcileContext& context,
                                                        const runtime::ObjectKey& key) {
  auto job = caches_.jobs.get(key);
  if (!job) {  // owner references clean up after it
    forget(key);
    return runtime::Next::done();
  }
  context.set_owner(job->meta.uid);
  Memory memory = recall(key, job->meta.uid);
  tell_late(context, *job, memory);
  const bool began_here = memory.began_attempt != 0 && memory.began_attempt == job->status.attempt;
  const OwnAttempt own{.begun_here = began_here, .made = memory.made};

  auto seen = observe(caches_, deleted_pods_, context.client(), context, as_held(job, memory), own);
  if (!seen) {
    return std::unexpected(may_pass(std::move(seen).error().with_context("observe ResumableJob " + to_string(key))));
  }
  seen->price_table = settings_.prices;
  seen->rejection = memory.rejection;
  note_waits(*seen, context.clock().steady(), memory);
  seen->kueue.boosted = memory.boosted;
  Plan plan = decide(*seen, settings_);
  const auto hold = hold_back(job, plan, seen->now, memory.held.get());
  const bool held = hold != nullptr;
  if (held) {
    plan.wake_by(hold->due());
    memory.held = hold;
  }
  remember(key, memory);  // a write that fails loses nothing of what is held

  const auto written =
      held ? runtime::StatusWrite::Unchanged : runtime::write_status_if_changed(context, *job, plan.status);
  if (!written) {
    if (written.error().error_class == runtime::ErrorClass::Unavailable) {
      memory.unanswered.remember({job->status, plan.status, {seen->now, plan.announcements}});
      remember(key, std::move(memory));
    }
    return runtime::Next::failed(may_pass(written.error()), plan.wake_at, context.clock());
  }
  if (*written == runtime::StatusWrite::Gone) return runtime::Next::done();
  if (*written == runtime::StatusWrite::Written) {
    tell(*seen->job, seen->job->status, plan.status, seen->now);
    memory.unanswered.clear();
  }
  memory.held = hold;
  const bool begins = *written == runtime::StatusWrite::Written && plan.status.attempt != job->status.attempt;
  if (begins) {
    memory.began_attempt = plan.status.attempt;
    memory.made.clear();
  }
  if (*written == runtime::StatusWrite::Unchanged &&
      has_any<CreatePod, ReserveClaim, ReleaseQuota, DeleteWorkload>(plan) && !began_here) {
    if (auto same = confirm_unchanged(context, *job); !same) return std::unexpected(may_pass(std::move(same).error()));
  }
  if (!held) deleted_pods_.forget(job->meta.uid, seen->deleted_pods, pods_of(plan.status));
  announce(context, *job, plan.announcements);

  return act(context, *job, *seen, plan, std::move(memory), begins);
}

}  // namespace reprise::controllers::resumablejob
