// The spans that a written status ends.
#include "controllers/traces/job_spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "controllers/testing/builders.h"

namespace reprise::controllers::traces {
namespace {

using api::AttemptEndCause;
using controllers::testing::kStart;
using controllers::testing::MakeJob;
using runtime::Span;
using runtime::SpanStatus;
using std::chrono::seconds;
using Status = api::ResumableJobStatus;

api::ResumableJob job() {
  return MakeJob("fit").with([](api::ResumableJob& job) { job.meta.creation_timestamp = kStart - seconds(5); }).get();
}

kube::Condition pods_ready(bool ready, kube::Time since) {
  kube::Condition made;
  made.type = "PodsReady";
  made.status = ready ? kube::ConditionStatus::True : kube::ConditionStatus::False;
  made.last_transition_time = since;
  return made;
}

// The second attempt, begun at kStart, with two ranks on two nodes.
Status begun() {
  Status status;
  status.attempt = 2;
  status.ready_attempt = 1;
  status.attempt_start_time = kStart;
  status.members.resize(2);
  status.conditions = {pods_ready(false, kStart - seconds(30))};
  return status;
}

Status starting() {
  Status status = begun();
  status.members[0].node_name = "node-a";
  status.members[1].node_name = "node-b";
  status.starting_since = kStart + seconds(60);
  return status;
}

Status running() {
  Status status = starting();
  status.starting_since.reset();
  status.ready_attempt = 2;
  status.conditions = {pods_ready(true, kStart + seconds(90))};
  return status;
}

// Interrupted before its second attempt, which got ready and then passed a step at these seconds.
Status recovered(std::int64_t ready, std::optional<std::int64_t> trains) {
  Status status = running();
  api::LastInterruption last;
  last.time = kStart - seconds(20);
  last.recovered_time = kStart + seconds(ready);
  if (trains) last.training_time = kStart + seconds(*trains);
  status.last_interruption = last;
  return status;
}

api::AttemptEnd end_of(AttemptEndCause cause) {
  api::AttemptEnd end;
  end.attempt = 2;
  end.cause = cause;
  end.reason = "SpotInterrupted";
  end.message = "exit code 1";
  end.time = kStart + seconds(500);
  return end;
}

Status ending(AttemptEndCause cause) {
  Status status = running();
  status.conditions = {pods_ready(false, kStart + seconds(500))};
  status.attempt_end = end_of(cause);
  return status;
}

Status closed(AttemptEndCause cause) {
  Status status = ending(cause);
  status.attempt_end.reset();
  status.members.clear();
  status.last_end = end_of(cause);
  return status;
}

std::string line_of(const Span& span) {
  const auto after_start = [](kube::Time time) { return std::to_string((time - kStart) / seconds(1)); };
  return span.name + " " + after_start(span.start) + ".." + after_start(span.end);
}

std::vector<std::string> lines(const std::vector<Span>& spans) {
  std::vector<std::string> all;
  for (const Span& span : spans) all.push_back(line_of(span));
  return all;
}

struct Case {
  const char* what;
  Status before, after;
  std::int64_t now;
  std::vector<std::string> ended;
};

// NOLINTNEXTLINE(readability-function-size): a table, one row per write
std::vector<Case> cases() {
  const auto with = [](Status status, const std::function<void(Status&)>& change) {
    change(status);
    return status;
  };
  const Status of_an_earlier_version = with(ending(AttemptEndCause::Interruption), [](Status& s) {
    s.attempt_start_time = kStart - seconds(900);  // the time of the attempt before
    s.last_end = end_of(AttemptEndCause::Interruption);
    s.last_end->attempt = 1;
    s.last_end->time = kStart - seconds(100);
  });
  return {
      {"what stays ends nothing", running(), running(), 100, {}},
      {"an attempt that begins ends nothing", Status{}, begun(), 0, {}},
      {"a first node ends nothing that is told before all are ready", begun(), starting(), 60, {}},
      {"ready: it waited for nodes, then it started", starting(), running(), 90, {"pending 0..60", "starting 60..90"}},
      {"ready at once where no wait for a node was seen", begun(), running(), 90, {"pending 0..90"}},
      {"the end is decided: it ran until then",
       running(),
       ending(AttemptEndCause::Interruption),
       501,
       {"running 90..500"}},
      {"it was never ready",
       starting(),
       with(starting(), [](Status& s) { s.attempt_end = end_of(AttemptEndCause::PodsReadyTimeout); }),
       500,
       {"pending 0..60", "starting 60..500"}},
      {"a rank that is not ready for a while ends a stretch of running",
       running(),
       with(running(), [](Status& s) { s.conditions = {pods_ready(false, kStart + seconds(200))}; }),
       200,
       {"running 90..200"}},
      {"a step is passed after an interruption: until then it resumed",
       recovered(90, std::nullopt),
       recovered(90, 140),
       150,
       {"resuming 90..140"}},
      {"it resumed once", recovered(90, 140), recovered(90, 140), 160, {}},
      {"a trainer that passes a step before all are ready resumes for no time",
       recovered(90, std::nullopt),
       recovered(90, 80),
       95,
       {}},
      {"every rank is proven to have ended",
       ending(AttemptEndCause::Interruption),
       closed(AttemptEndCause::Interruption),
       620,
       {"ending 500..620", "attempt 0..620"}},
      {"the end is decided and proven in one write",
       running(),
       closed(AttemptEndCause::Succeeded),
       500,
       {"running 90..500", "attempt 0..500"}},
      {"an attempt that an earlier version began starts with what is known of it",
       of_an_earlier_version,
       with(closed(AttemptEndCause::Interruption), [](Status& s) { s.attempt_start_time = kStart - seconds(900); }),
       620,
       {"ending 500..620", "attempt 500..620"}},
      {"a clock that went back makes no span that ends before it began",
       ending(AttemptEndCause::Interruption),
       closed(AttemptEndCause::Interruption),
       -20,
       {"attempt 0..0"}},
      {"the job has ended without an attempt under way",
       with(closed(AttemptEndCause::Suspended), [](Status&) {}),
       with(closed(AttemptEndCause::Suspended), [](Status& s) { s.completion_time = kStart + seconds(700); }),
       700,
       {"resumablejob -5..700"}},
  };
}

TEST(JobSpans, are_what_a_written_status_ends) {
  for (const Case& each : cases())
    EXPECT_EQ(lines(spans_of(job(), each.before, each.after, kStart + seconds(each.now))), each.ended) << each.what;
}

std::string text_of(const runtime::Attributes& attributes, const std::string& key) {
  const auto found = std::ranges::find_if(attributes, [&](const auto& each) { return each.first == key; });
  if (found == attributes.end()) return "(none)";
  if (const auto* number = std::get_if<std::int64_t>(&found->second)) return std::to_string(*number);
  if (const auto* flag = std::get_if<bool>(&found->second)) return *flag ? "true" : "false";
  if (const auto* list = std::get_if<std::vector<std::string>>(&found->second)) return list->front() + ",...";
  return std::get<std::string>(found->second);
}

TEST(JobSpans, hang_below_the_job_and_the_phases_below_their_attempt) {
  Status done = closed(AttemptEndCause::Succeeded);
  done.completion_time = kStart + seconds(510);
  const auto ended = spans_of(job(), running(), done, kStart + seconds(510));
  ASSERT_EQ(lines(ended),
            (std::vector<std::string>{"running 90..500", "ending 500..510", "attempt 0..510", "resumablejob -5..510"}));
  const Span &phase = ended[0], &attempt = ended[2], &root = ended[3];
  EXPECT_EQ(phase.parent, attempt.id);
  EXPECT_EQ(attempt.parent, root.id);
  EXPECT_EQ(root.parent, runtime::SpanId{});
  for (const Span& each : ended) EXPECT_EQ(each.trace, runtime::trace_id_of("uid-fit"));
}

TEST(JobSpans, bear_ids_that_follow_from_the_status_alone) {
  const auto now = kStart + seconds(620);
  Status before = running(), after = closed(AttemptEndCause::Interruption);
  const auto one = spans_of(job(), before, after, now);
  before.conditions[0].last_transition_time += std::chrono::microseconds(400'000);
  const auto another = spans_of(job(), before, after, now + seconds(3));
  ASSERT_EQ(one.size(), 3U);
  ASSERT_EQ(another.size(), 3U);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].id, another[i].id) << one[i].name;
  before.attempt = after.attempt = after.last_end->attempt = 3;
  EXPECT_NE(spans_of(job(), before, after, now).back().id, one.back().id) << "the third attempt is another";
}

TEST(JobSpans, of_an_interrupted_attempt_say_why_where_and_what_was_lost) {
  Status before = ending(AttemptEndCause::Interruption), after = closed(AttemptEndCause::Interruption);
  api::LastInterruption last;
  last.time = kStart + seconds(500);
  last.reason = "SpotInterrupted";
  last.node = "node-a";
  last.notice_seconds = 120;
  before.last_interruption = last;
  last.saved = true;
  last.ended_time = kStart + seconds(610);
  after.last_interruption = last;
  after.lost_seconds = 7;
  after.checkpoint.emplace();
  after.checkpoint->step = 400;
  after.checkpoint->time = kStart + seconds(520);
  before.checkpoint = after.checkpoint;  // known from the record of the rank that ended first
  const Span attempt = spans_of(job(), before, after, kStart + seconds(620)).back();
  EXPECT_EQ(attempt.status, SpanStatus::Unset) << "an interruption is no error";
  EXPECT_EQ(text_of(attempt.attributes, "k8s.namespace.name"), "vision");
  EXPECT_EQ(text_of(attempt.attributes, "reprise.job.name"), "fit");
  EXPECT_EQ(text_of(attempt.attributes, "reprise.attempt"), "2");
  EXPECT_EQ(text_of(attempt.attributes, "reprise.ranks"), "2");
  EXPECT_EQ(text_of(attempt.attributes, "reprise.node.names"), "node-a,...");
  EXPECT_EQ(text_of(attempt.attributes, "k8s.node.name"), "(none)") << "there are two";
  EXPECT_EQ(text_of(attempt.attributes, "reprise.attempt.end.cause"), "Interruption");
  EXPECT_EQ(text_of(attempt.attributes, "reprise.lost_seconds"), "7");
  ASSERT_EQ(attempt.events.size(), 3U);
  EXPECT_EQ(attempt.events[0].name, "interruption");
  EXPECT_EQ(text_of(attempt.events[0].attributes, "reprise.interruption.reason"), "SpotInterrupted");
  EXPECT_EQ(text_of(attempt.events[0].attributes, "k8s.node.name"), "node-a");
  EXPECT_EQ(text_of(attempt.events[0].attributes, "reprise.interruption.notice_seconds"), "120");
  EXPECT_EQ(text_of(attempt.events[0].attributes, "reprise.interruption.saved"), "true");
  EXPECT_EQ(attempt.events[1].name, "ended");
  EXPECT_EQ(attempt.events[1].time, kStart + seconds(610));
  EXPECT_EQ(attempt.events[2].name, "checkpoint");
  EXPECT_EQ(attempt.events[2].time, kStart + seconds(520));
  EXPECT_EQ(text_of(attempt.events[2].attributes, "reprise.checkpoint.step"), "400");
  after.checkpoint->time = kStart - seconds(1);
  EXPECT_EQ(spans_of(job(), before, after, kStart + seconds(620)).back().events.size(), 2U)
      << "a checkpoint of an attempt before it";
}

TEST(JobSpans, of_a_failed_attempt_are_errors_with_its_message) {
  const auto status_after = [](AttemptEndCause cause) {
    return spans_of(job(), ending(cause), closed(cause), kStart + seconds(620)).back();
  };
  for (const AttemptEndCause cause :
       {AttemptEndCause::ApplicationFailure, AttemptEndCause::Failed, AttemptEndCause::Refused,
        AttemptEndCause::PodsReadyTimeout, AttemptEndCause::Rejected}) {
    EXPECT_EQ(status_after(cause).status, SpanStatus::Error) << api::name(cause);
    EXPECT_EQ(status_after(cause).message, "exit code 1") << api::name(cause);
  }
  EXPECT_EQ(status_after(AttemptEndCause::Succeeded).status, SpanStatus::Ok);
  EXPECT_EQ(status_after(AttemptEndCause::Suspended).status, SpanStatus::Unset);
}

TEST(JobSpans, of_a_job_say_how_it_ended_and_what_it_went_through) {
  Status before = closed(AttemptEndCause::Failed), after = before;
  after.completion_time = kStart + seconds(700);
  after.interruption_count = 3;
  after.lost_seconds = 42;
  const Span failed = spans_of(job(), before, after, kStart + seconds(700)).back();
  EXPECT_EQ(failed.status, SpanStatus::Error);
  EXPECT_EQ(failed.message, "exit code 1");
  EXPECT_EQ(text_of(failed.attributes, "reprise.attempts"), "2");
  EXPECT_EQ(text_of(failed.attributes, "reprise.interruptions"), "3");
  EXPECT_EQ(text_of(failed.attributes, "reprise.lost_seconds"), "42");
  kube::Condition complete = pods_ready(true, kStart);
  complete.type = "Complete";
  after.conditions = {complete};
  EXPECT_EQ(spans_of(job(), before, after, kStart + seconds(700)).back().status, SpanStatus::Ok);
}

}  // namespace
}  // namespace reprise::controllers::traces
