// The counts of a written status.
#include "controllers/metrics/job_changes.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/metrics/condition_changes.h"
#include "controllers/metrics/recorder.h"
#include "controllers/metrics/table.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::metrics {
namespace {

using api::AttemptEndCause;
using controllers::testing::kStart;
using controllers::testing::MakeJob;
using std::chrono::seconds;
using Status = api::ResumableJobStatus;

constexpr seconds kNow{600};

Status running() {
  Status status;
  status.attempt = 3;
  status.ready_attempt = 3;
  status.members.resize(2);
  return status;
}

void interrupt(Status& status) {
  status.interruptions = {{"SpotInterrupted", 1}};
  status.interruption_count = 1;
  api::LastInterruption last;
  last.time = kStart;
  last.reason = "SpotInterrupted";
  status.last_interruption = last;
}

void close(Status& status, AttemptEndCause cause) {
  api::AttemptEnd end;
  end.attempt = status.attempt;
  end.cause = cause;
  end.time = kStart;
  status.last_end = end;
  status.members.clear();
}

void report_save(Status& status, std::int64_t step, std::int64_t took) {
  status.progress.emplace();
  status.progress->checkpoint = api::LiveCheckpointStatus{.step = step, .save_seconds = took};
}

struct Case {
  const char* what;
  std::function<void(Status& before)> given;
  std::function<void(Status& after)> written;
  Changes counted;
};

Change of_pool(const char* name, double value, runtime::Labels more = {}) {
  more.emplace_back("pool", "t4");
  return {name, std::move(more), value};
}

// NOLINTNEXTLINE(readability-function-size): a table, one row per change
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"what stays counts nothing", [](Status& s) { interrupt(s); }, [](Status&) {}, {}},
      {"an interruption, by its reason",
       [](Status&) {},
       interrupt,
       {of_pool(kInterruptions, 1, {{"reason", "SpotInterrupted"}})}},
      {"a reason that anybody may choose is Other",
       [](Status&) {},
       [](Status& s) {
         interrupt(s);
         s.interruptions[0].reason = "Whatever-" + std::string(40, 'x');
       },
       {of_pool(kInterruptions, 1, {{"reason", "Other"}})}},
      {"the notice, where the node gave one",
       [](Status&) {},
       [](Status& s) {
         interrupt(s);
         s.last_interruption->notice_seconds = 120;
       },
       {of_pool(kInterruptions, 1, {{"reason", "SpotInterrupted"}}), of_pool(kNoticeSeconds, 120)}},
      {"how long the signal had stood when it was noticed",
       [](Status&) {},
       [](Status& s) {
         interrupt(s);
         s.last_interruption->signal_time = kStart - seconds(3);
       },
       {of_pool(kInterruptions, 1, {{"reason", "SpotInterrupted"}}),
        of_pool(kRecoverySeconds, 3, {{"phase", "noticed"}})}},
      {"a signal by a clock that is ahead was noticed at once",
       [](Status&) {},
       [](Status& s) {
         interrupt(s);
         s.last_interruption->signal_time = kStart + seconds(3);
       },
       {of_pool(kInterruptions, 1, {{"reason", "SpotInterrupted"}}),
        of_pool(kRecoverySeconds, 0, {{"phase", "noticed"}})}},
      {"an attempt that is closed, with when its last container had ended",
       [](Status& s) { interrupt(s); },
       [](Status& s) {
         close(s, AttemptEndCause::Interruption);
         s.last_interruption->ended_time = kStart + seconds(40);
       },
       {of_pool(kAttemptsEnded, 1, {{"cause", "Interruption"}}), of_pool(kSaves, 1, {{"result", "unknown"}}),
        of_pool(kRecoverySeconds, 40, {{"phase", "ended"}}), of_pool(kRecoverySeconds, 600, {{"phase", "proven"}})}},
      {"training again, after it had run for a while",
       [](Status& s) {
         interrupt(s);
         s.last_interruption->ended_time = kStart + seconds(40);
         s.last_interruption->recovered_time = kStart + seconds(90);
       },
       [](Status& s) { s.last_interruption->training_time = kStart + seconds(200); },
       {of_pool(kRecoverySeconds, 200, {{"phase", "training"}})}},
      {"training again counts once, whoever leads",
       [](Status& s) {
         interrupt(s);
         s.last_interruption->training_time = kStart + seconds(200);
       },
       [](Status& s) { s.ready = 2; },
       {}},
      {"another interruption has phases of its own",
       [](Status& s) {
         interrupt(s);
         s.last_interruption->ended_time = s.last_interruption->training_time = kStart + seconds(200);
       },
       [](Status& s) {
         s.interruptions[0].count = s.interruption_count = 2;
         s.last_interruption->time = kStart + seconds(300);
         s.last_interruption->ended_time = kStart + seconds(310);
         s.last_interruption->training_time.reset();
       },
       {of_pool(kInterruptions, 1, {{"reason", "SpotInterrupted"}}),
        of_pool(kRecoverySeconds, 10, {{"phase", "ended"}})}},
      {"how long a save took that a running job reports",
       [](Status& s) { report_save(s, 120, 7); },
       [](Status& s) { report_save(s, 240, 9); },
       {of_pool(kCheckpointSaveSeconds, 9)}},
      {"a save counts once, however often it is reported",
       [](Status& s) { report_save(s, 120, 7); },
       [](Status& s) { s.progress->step = 130; },
       {}},
      {"a save counts once, also when another rank has measured it",
       [](Status& s) { report_save(s, 120, 7); },
       [](Status& s) { report_save(s, 120, 8); },
       {}},
      {"a step that is saved anew counts again",
       [](Status& s) { report_save(s, 120, 7); },
       [](Status& s) {
         report_save(s, 120, 7);
         s.progress->checkpoint->time = kStart;
       },
       {of_pool(kCheckpointSaveSeconds, 7)}},
      {"a save of which the first to tell does not know how long it took",
       [](Status& s) {
         report_save(s, 120, 7);
         s.progress->checkpoint->save_seconds.reset();
       },
       [](Status& s) { report_save(s, 120, 7); },
       {of_pool(kCheckpointSaveSeconds, 7)}},
      {"a checkpoint that was there before anybody watched was saved in no time that is known",
       [](Status& s) { s.progress.emplace(); },
       [](Status& s) {
         report_save(s, 120, 7);
         s.progress->checkpoint->save_seconds.reset();
       },
       {}},
      {"an attempt that is closed, and what it lost",
       [](Status& s) { interrupt(s); },
       [](Status& s) {
         close(s, AttemptEndCause::Interruption);
         s.lost_seconds += 90;
         s.last_interruption->saved = false;
       },
       {of_pool(kAttemptsEnded, 1, {{"cause", "Interruption"}}), of_pool(kLostSeconds, 90),
        of_pool(kCheckpointAgeAtEnd, 90), of_pool(kSaves, 1, {{"result", "not_saved"}}),
        of_pool(kRecoverySeconds, 600, {{"phase", "proven"}})}},
      {"a checkpoint older than twice its period is overdue",
       [](Status&) {},
       [](Status& s) {
         close(s, AttemptEndCause::ApplicationFailure);
         ++s.failures;
         s.lost_seconds += 1201;
       },
       {of_pool(kFailures, 1), of_pool(kAttemptsEnded, 1, {{"cause", "ApplicationFailure"}}),
        of_pool(kLostSeconds, 1201), of_pool(kCheckpointAgeAtEnd, 1201), of_pool(kCheckpointsOverdue, 1)}},
      {"a save on the notice, and how long it took",
       [](Status& s) { interrupt(s); },
       [](Status& s) {
         close(s, AttemptEndCause::Interruption);
         s.last_interruption->saved = true;
         s.checkpoint.emplace();
         s.checkpoint->time = kStart + seconds(20);
       },
       {of_pool(kAttemptsEnded, 1, {{"cause", "Interruption"}}), of_pool(kSaves, 1, {{"result", "saved"}}),
        of_pool(kSaveSeconds, 20), of_pool(kRecoverySeconds, 600, {{"phase", "proven"}})}},
      {"one write closes an attempt and begins the next",
       [](Status& s) { interrupt(s); },
       [](Status& s) {
         close(s, AttemptEndCause::Interruption);
         ++s.attempt;
         s.members.resize(2);
       },
       {of_pool(kAttemptsBegun, 1), of_pool(kAttemptsEnded, 1, {{"cause", "Interruption"}}),
        of_pool(kSaves, 1, {{"result", "unknown"}}), of_pool(kRecoverySeconds, 600, {{"phase", "proven"}}),
        of_pool(kRecoverySeconds, 600, {{"phase", "begun"}})}},
      {"a recovery, with when it had a node",
       [](Status& s) {
         interrupt(s);
         s.starting_since = kStart + seconds(60);
       },
       [](Status& s) {
         s.starting_since.reset();
         s.last_interruption->recovered_time = kStart + seconds(90);
       },
       {of_pool(kRecoverySeconds, 60, {{"phase", "placed"}}), of_pool(kRecoverySeconds, 90, {{"phase", "running"}})}},
      {"a recovery counts once",
       [](Status& s) {
         interrupt(s);
         s.last_interruption->recovered_time = kStart + seconds(90);
       },
       [](Status& s) { s.ready = 2; },
       {}},
      {"a job that ends before it has begun has closed no attempt",
       [](Status& s) {
         s.attempt = 0;
         s.members.clear();
       },
       [](Status& s) {
         close(s, AttemptEndCause::Failed);
         s.completion_time = kStart;
       },
       {}},
  };
  return all;
}

TEST(JobChanges, count_what_a_written_status_adds_to_the_one_before) {
  const api::ResumableJob job = MakeJob("fit").get();
  for (const Case& each : cases()) {
    Status before = running();
    each.given(before);
    Status after = before;
    each.written(after);
    EXPECT_EQ(changes_of(job, before, after, kStart + kNow), each.counted) << each.what;
  }
}

kube::Condition condition(const char* type, kube::ConditionStatus status, const char* reason) {
  kube::Condition made;
  made.type = type;
  made.status = status;
  made.reason = reason;
  made.last_transition_time = kStart;
  return made;
}

TEST(JobChanges, waiting_for_a_fence_counts_when_it_begins_and_not_while_it_lasts) {
  const api::ResumableJob job = MakeJob("fit").get();
  Status before = running();
  before.conditions = {condition("PodsReady", kube::ConditionStatus::False, "WaitForRecovery")};
  Status after = before;
  after.conditions[0].reason = "WriterNotFenced";
  EXPECT_EQ(changes_of(job, before, after, kStart), (Changes{of_pool(kNotFencedBegun, 1)}));
  Status later = after;
  later.conditions[0].message = "still";
  EXPECT_EQ(changes_of(job, after, later, kStart), Changes{});
}

TEST(JobChanges, a_condition_that_flips_tells_how_long_it_had_stood) {
  const std::vector before{condition("Ready", kube::ConditionStatus::False, "Writing")};
  const std::vector after{condition("Ready", kube::ConditionStatus::True, "Ready")};
  EXPECT_EQ(changes_of_conditions("GpuPool", before, after, kStart + seconds(30)),
            (Changes{{kConditionTransitions, {{"kind", "GpuPool"}, {"type", "Ready"}, {"status", "True"}}, 1},
                     {kConditionSeconds, {{"kind", "GpuPool"}, {"type", "Ready"}, {"status", "False"}}, 30}}));
  EXPECT_EQ(changes_of_conditions("GpuPool", after, after, kStart), Changes{});
}

TEST(Recorder, counters_of_a_pool_show_zero_from_when_it_is_known_and_keep_what_they_counted) {
  runtime::MetricsRegistry registry;
  Recorder recorder(registry);
  recorder.know_pool("t4");
  const std::string zero = "reprise_interruptions_total{pool=\"t4\",reason=\"SpotInterrupted\"} 0\n";
  EXPECT_NE(registry.expose().find(zero), std::string::npos);
  recorder.record({of_pool(kInterruptions, 2, {{"reason", "SpotInterrupted"}})});
  recorder.know_pool("t4");
  EXPECT_NE(registry.expose().find("reprise_interruptions_total{pool=\"t4\",reason=\"SpotInterrupted\"} 2\n"),
            std::string::npos);
}

}  // namespace
}  // namespace reprise::controllers::metrics
