#include "controllers/resumablejob/reconciler.h"

#include <algorithm>

#include "controllers/resumablejob/apply.h"
#include "controllers/resumablejob/decide.h"
#include "controllers/resumablejob/observe.h"
#include "runtime/manager/status_writer.h"

namespace reprise::controllers::resumablejob {
namespace {

template <class... Kinds>
bool has_any(const Plan& plan) {
  return std::ranges::any_of(plan.actions,
                             [](const Action& action) { return (std::holds_alternative<Kinds>(action) || ...); });
}

void announce(runtime::ReconcileContext& context, const api::ResumableJob& job, const Plan& plan) {
  for (const Announcement& said : plan.announcements) {
    context.events().record(job,
                            said.type == EventType::Warning ? runtime::EventType::Warning : runtime::EventType::Normal,
                            said.reason, said.action, said.note);
    context.logger().info("Decided", {{"reason", said.reason}, {"note", said.note}});
  }
}

// A webhook answers with whatever code it likes, and something in between with whatever text: no error ends the matter
// for a job, which has deadlines, and trainers to be stopped in time.
runtime::Error may_pass(runtime::Error error) {
  if (error.error_class == runtime::ErrorClass::Terminal) error.error_class = runtime::ErrorClass::Invalid;
  return error;
}

}  // namespace

JobReconciler::Memory JobReconciler::recall(const runtime::ObjectKey& key, const std::string& job_uid) {
  const std::lock_guard lock(mutex_);
  const auto found = memories_.find(key);
  // What is remembered of an earlier job of that name is not about this one.
  if (found != memories_.end() && found->second.job_uid == job_uid) return found->second;
  return Memory{.job_uid = job_uid, .refusal = {}, .refused = {}};
}

void JobReconciler::remember(const runtime::ObjectKey& key, Memory memory) {
  const std::lock_guard lock(mutex_);
  if (memory.refusal.empty() && memory.began_attempt == 0 && memory.first_seen.empty() && !memory.held) {
    memories_.erase(key);
  } else {
    memories_[key] = std::move(memory);
  }
}

// Some refusals name the request or count what is used, so that none is in the words of the last. A status that told
// each would wake its own job for ever.
void JobReconciler::keep_words(Memory& memory, const std::string& before, runtime::WallTime now) {
  constexpr std::chrono::minutes words_stand{5};
  if (memory.refusal.empty() || memory.refusal == before) return;
  if (!before.empty() && now < memory.refused + words_stand) {
    memory.refusal = before;
  } else {
    memory.refused = now;
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

// Pods of an attempt that this process did not begin: an old view of the job could bring a closed attempt back to life.
runtime::Result<void> JobReconciler::confirm_unchanged(runtime::ReconcileContext& context,
                                                       const api::ResumableJob& job) {
  auto live = context.read_live<api::ResumableJob>(job.meta.namespace_, job.meta.name);
  if (!live) return std::unexpected(std::move(live).error());
  if (live->has_value() && (*live)->meta.uid == job.meta.uid && (*live)->status == job.status) return {};
  return runtime::fail(runtime::ErrorClass::Conflict,
                       "the cache does not show the last status of ResumableJob " + to_string(runtime::key_of(job)));
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
  const bool began_here = memory.began_attempt != 0 && memory.began_attempt == job->status.attempt;
  const OwnAttempt own{.begun_here = began_here, .made = memory.made};

  auto seen = observe(caches_, departed_, context.client(), context, as_held(job, memory), own);
  if (!seen) {
    return std::unexpected(may_pass(std::move(seen).error().with_context("observe ResumableJob " + to_string(key))));
  }
  seen->refusal = memory.refusal;
  seen->first_seen = memory.first_seen = waits_of(*seen, memory.first_seen);
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
  if (!written) return runtime::Next::failed(may_pass(written.error()), plan.wake_at, context.clock());
  if (*written == runtime::StatusWrite::Gone) return runtime::Next::done();
  memory.held = hold;
  if (*written == runtime::StatusWrite::Written) {
    if (plan.status.attempt != job->status.attempt) {
      memory.began_attempt = plan.status.attempt;
      memory.made.clear();
    }
  } else if (has_any<CreatePod, ReserveClaim>(plan) && !began_here) {
    if (auto same = confirm_unchanged(context, *job); !same) return std::unexpected(may_pass(std::move(same).error()));
  }
  if (!held) {
    std::vector<std::string> remembered;
    for (const api::MemberStatus& member : plan.status.members) remembered.push_back(member.pod_uid);
    departed_.forget(job->meta.uid, seen->departed, remembered);
  }
  announce(context, *job, plan);

  const std::string before = memory.refusal;
  const bool of_own_attempt = memory.began_attempt != 0 && memory.began_attempt == plan.status.attempt;
  for (const Action& action : plan.actions) {
    const auto* create = std::get_if<CreatePod>(&action);
    if (create != nullptr && of_own_attempt) memory.made.insert(create->blueprint.name);
  }
  auto done = apply(context, *job, plan.actions, memory.refusal);
  if (!done && has_any<CreatePod>(plan)) memory.began_attempt = 0;
  keep_words(memory, before, context.clock().wall());
  const bool refused_anew = before.empty() && !memory.refusal.empty();  // said at once
  remember(key, std::move(memory));
  if (refused_anew) return runtime::Next::at(context.clock().wall(), context.clock());
  if (!done) return runtime::Next::failed(may_pass(std::move(done).error()), plan.wake_at, context.clock());
  if (plan.wake_at) return runtime::Next::at(*plan.wake_at, context.clock());
  return runtime::Next::done();
}

}  // namespace reprise::controllers::resumablejob
