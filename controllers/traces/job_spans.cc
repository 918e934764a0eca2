#include "controllers/traces/job_spans.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "controllers/common/conditions.h"

namespace reprise::controllers::traces {
namespace {

using api::AttemptEndCause;
using api::ResumableJobStatus;
using runtime::Attributes;
using runtime::Span;
using runtime::SpanStatus;

SpanStatus status_of(AttemptEndCause cause) {
  switch (cause) {
    case AttemptEndCause::Succeeded:
      return SpanStatus::Ok;
    case AttemptEndCause::ApplicationFailure:
    case AttemptEndCause::IgnoredFailure:
    case AttemptEndCause::Rejected:
    case AttemptEndCause::NotInstalled:
    case AttemptEndCause::Refused:
    case AttemptEndCause::Hung:
    case AttemptEndCause::VolumeFull:
    case AttemptEndCause::PodsReadyTimeout:
    case AttemptEndCause::Failed:
      return SpanStatus::Error;
    case AttemptEndCause::Interruption:
    case AttemptEndCause::CheckpointedExit:
    case AttemptEndCause::Outdated:
    case AttemptEndCause::Suspended:
    case AttemptEndCause::Deleted:
      return SpanStatus::Unset;
  }
  return SpanStatus::Unset;
}

std::vector<std::string> nodes_of(const std::vector<api::RankStatus>& ranks) {
  std::vector<std::string> names;
  for (const api::RankStatus& rank : ranks) {
    if (!rank.node_name.empty() && std::ranges::find(names, rank.node_name) == names.end())
      names.emplace_back(rank.node_name);
  }
  return names;
}

// A number of the job's own; nothing where it is 0.
void add_number(Attributes& to, const char* key, std::int64_t value) {
  if (value != 0) to.emplace_back(key, value);
}
void add_text(Attributes& to, const char* key, const std::string& value) {
  if (!value.empty()) to.emplace_back(key, value);
}

class Comparison {
 public:
  Comparison(const api::ResumableJob& job, const ResumableJobStatus& before, const ResumableJobStatus& after,
             kube::Time now)
      : job_(job), before_(before), after_(after), now_(now) {}

  std::vector<Span> all() {
    if (!before_.members.empty()) {
      phases_before_ready();
      resuming();
      running();
      if (closed()) {
        ending();
        attempt();
      }
    }
    if (after_.completion_time && !before_.completion_time) root();
    return std::move(spans_);
  }

 private:
  [[nodiscard]] std::string uid() const { return job_.meta.uid; }
  [[nodiscard]] std::string attempt_text() const { return uid() + "/attempt/" + std::to_string(before_.attempt); }

  // The attempt that was under way has been closed.
  [[nodiscard]] bool closed() const {
    return after_.last_end && after_.last_end != before_.last_end && after_.last_end->attempt == before_.attempt;
  }
  // The time at which the end of the attempt was decided, where this write says so first.
  [[nodiscard]] std::optional<kube::Time> newly_decided() const {
    if (before_.attempt_end) return std::nullopt;
    if (after_.attempt_end) return after_.attempt_end->time;
    return closed() ? std::optional(after_.last_end->time) : std::nullopt;
  }
  // An earlier version that led in between leaves the time of another attempt.
  [[nodiscard]] std::optional<kube::Time> begun() const {
    const auto& start = before_.attempt_start_time;
    const bool of_another = start && before_.last_end && before_.last_end->time > *start;
    return of_another ? std::nullopt : start;
  }
  [[nodiscard]] std::optional<kube::Time> ready_since() const {
    const kube::Condition* ready = find_condition(before_.conditions, "PodsReady");
    const bool holds = ready != nullptr && ready->status == kube::ConditionStatus::True;
    return holds ? std::optional(ready->last_transition_time) : std::nullopt;
  }

  Span& add(const std::string& id, const char* name, kube::Time start, kube::Time end) {
    Span& span = spans_.emplace_back();
    span.trace = runtime::trace_id_of(uid());
    span.id = runtime::span_id_of(id);
    span.name = name;
    span.start = start;
    span.end = std::max(start, end);  // the former leader may have had another clock
    span.attributes = {{"k8s.namespace.name", job_.meta.namespace_}, {"reprise.job.name", job_.meta.name}};
    return span;
  }
  void phase(const char* name, kube::Time start, kube::Time end) {
    if (end <= start) return;
    // A phase may come again; times in the status are whole seconds once they have been written.
    const auto second = std::chrono::floor<std::chrono::seconds>(start).time_since_epoch().count();
    Span& span = add(attempt_text() + "/" + name + "/" + std::to_string(second), name, start, end);
    span.parent = runtime::span_id_of(attempt_text());
    add_number(span.attributes, "reprise.attempt", before_.attempt);
  }

  void phases_before_ready() {
    if (before_.ready_attempt == before_.attempt) return;
    const bool ready = after_.ready_attempt == before_.attempt;
    const std::optional<kube::Time> end = ready ? std::optional(now_) : newly_decided();
    if (!end) return;
    const auto placed = before_.starting_since;
    if (const auto start = begun()) phase("pending", *start, placed.value_or(*end));
    if (placed) phase("starting", *placed, *end);
  }

  void running() {
    const auto since = ready_since();
    if (since && (closed() || !is_true(after_.conditions, "PodsReady")))
      phase("running", *since, newly_decided().value_or(now_));
  }

  // A span beside `running`, at its beginning.
  void resuming() {
    const auto& was = before_.last_interruption;
    const auto& is = after_.last_interruption;
    if (!is || !is->training_time || (was && was->time == is->time && was->training_time)) return;
    if (const auto ready = is->recovered_time) phase("resuming", *ready, *is->training_time);
  }

  void ending() { phase("ending", after_.last_end->time, now_); }

  void attempt() {
    const api::AttemptEnd& end = *after_.last_end;
    const kube::Time known = std::min(before_.starting_since.value_or(end.time), ready_since().value_or(end.time));
    Span& span = add(attempt_text(), "attempt", begun().value_or(known), now_);
    span.parent = runtime::span_id_of(uid());
    span.status = status_of(end.cause);
    if (span.status == SpanStatus::Error) span.message = end.message;
    Attributes& says = span.attributes;
    add_number(says, "reprise.attempt", before_.attempt);
    add_text(says, "reprise.pool.name", job_.spec.pool_name);
    add_number(says, "reprise.ranks", static_cast<std::int64_t>(before_.members.size()));
    say_where(says);
    add_text(says, "reprise.attempt.end.cause", std::string(api::name(end.cause)));
    add_text(says, "reprise.attempt.end.reason", end.reason);
    add_number(says, "reprise.lost_seconds", after_.lost_seconds - before_.lost_seconds);
    say_events(span, end);
  }

  void say_where(Attributes& says) const {
    std::vector<std::string> nodes = nodes_of(before_.members);
    if (nodes.size() == 1) says.emplace_back("k8s.node.name", nodes.front());
    if (nodes.size() > 1) says.emplace_back("reprise.node.names", std::move(nodes));
    if (!before_.placement || before_.ready_attempt != before_.attempt) return;
    add_text(says, "cloud.availability_zone", before_.placement->zone);
    add_text(says, "reprise.capacity_type", before_.placement->capacity);
  }

  void say_events(Span& span, const api::AttemptEnd& end) const {
    const auto& last = after_.last_interruption;
    if (end.cause == AttemptEndCause::Interruption && last && last->time == end.time) {
      Attributes says{{"reprise.interruption.reason", last->reason}};
      add_text(says, "k8s.node.name", last->node);
      if (last->notice_seconds)
        says.emplace_back("reprise.interruption.notice_seconds", std::int64_t{*last->notice_seconds});
      if (last->saved) says.emplace_back("reprise.interruption.saved", *last->saved);
      span.events.push_back({last->time, "interruption", std::move(says)});
      if (last->ended_time) span.events.push_back({*last->ended_time, "ended", {}});
    }
    if (after_.checkpoint && after_.checkpoint->time && *after_.checkpoint->time >= span.start) {
      Attributes says{{"reprise.checkpoint.step", after_.checkpoint->step}};
      if (after_.checkpoint->size_bytes)
        says.emplace_back("reprise.checkpoint.size_bytes", *after_.checkpoint->size_bytes);
      span.events.push_back({*after_.checkpoint->time, "checkpoint", std::move(says)});
    }
  }

  void root() {
    const bool complete = is_true(after_.conditions, "Complete");
    Span& span = add(uid(), "resumablejob", job_.meta.creation_timestamp, *after_.completion_time);
    span.status = complete ? SpanStatus::Ok : SpanStatus::Error;
    if (!complete && after_.last_end) span.message = after_.last_end->message;
    Attributes& says = span.attributes;
    add_text(says, "reprise.job.uid", uid());
    add_text(says, "reprise.pool.name", job_.spec.pool_name);
    says.emplace_back("reprise.attempts", std::int64_t{after_.attempt});
    says.emplace_back("reprise.interruptions", std::int64_t{after_.interruption_count});
    says.emplace_back("reprise.failures", std::int64_t{after_.failures});
    says.emplace_back("reprise.lost_seconds", after_.lost_seconds);
  }

  const api::ResumableJob& job_;
  const ResumableJobStatus& before_;
  const ResumableJobStatus& after_;
  kube::Time now_;
  std::vector<Span> spans_;
};

}  // namespace

std::vector<Span> spans_of(const api::ResumableJob& job, const ResumableJobStatus& before,
                           const ResumableJobStatus& after, kube::Time now) {
  return Comparison(job, before, after, now).all();
}

}  // namespace reprise::controllers::traces
