// The trace of a job's life, from the operator that ships: also when another process takes over in the middle.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "runtime/traces/span.h"
#include "simulator/scenarios/workload/one_pool_for_tests.h"

namespace reprise::simulator {
namespace {

using runtime::Span;
using runtime::SpanId;
using std::chrono::minutes;
using std::chrono::seconds;

class Collected final : public runtime::SpanSink {
 public:
  void add(std::vector<Span> spans) override { all.insert(all.end(), spans.begin(), spans.end()); }
  [[nodiscard]] std::vector<Span> named(const std::string& name) const {
    std::vector<Span> found;
    std::ranges::copy_if(all, std::back_inserter(found), [&](const Span& span) { return span.name == name; });
    return found;
  }
  std::vector<Span> all;
};

class Traces : public OnePoolTest {
 protected:
  Traces() {
    make_pool();
    start_operator();
    loop.run_until(seconds(30));
  }
  void start_operator() {
    process.reset();
    ++starts;
    process.emplace(cluster, wire_faults,
                    OperatorSettings{.identity = "operator-" + std::to_string(starts),
                                     .seed = static_cast<std::uint64_t>(starts),
                                     .spans = &spans});
  }
  [[nodiscard]] ObjectPtr job() const { return OnePoolTest::job("fit"); }
  [[nodiscard]] bool becomes(const std::function<bool()>& so) { return OnePoolTest::becomes(minutes(60), so); }
  void runs(std::int64_t attempt) {
    ASSERT_TRUE(becomes([&] { return OnePoolTest::runs("fit", attempt); })) << "attempt " << attempt;
  }
  void begin() {
    ASSERT_TRUE(api.create(jobs, job_object({.name = "fit", .parallelism = 2, .steps = 900})));
    runs(1);
    loop.run_until(loop.now() + minutes(5));
  }
  void interrupt() {
    const ObjectPtr victim = api.get({api.resource("", "pods"), kJobNamespace, "fit-1-1"});
    ASSERT_TRUE(victim);
    actors->interrupt(std::string(text(*victim, {"spec", "nodeName"})), seconds(120));
    ASSERT_TRUE(becomes([&] { return find(*job(), {"status", "attemptEnd"}) != nullptr; }));
  }
  void completes() {
    runs(2);
    ASSERT_TRUE(becomes([&] { return condition(*job(), "Complete") == "True"; }));
  }
  // Expects all spans below the one that the job's uid alone names.
  void expect_one_tree() {
    const std::string uid(text(*job(), {"metadata", "uid"}));
    const SpanId root = runtime::span_id_of(uid);
    const std::vector<SpanId> attempts{runtime::span_id_of(uid + "/attempt/1"),
                                       runtime::span_id_of(uid + "/attempt/2")};
    for (const Span& span : spans.all) {
      EXPECT_EQ(span.trace, runtime::trace_id_of(uid)) << span.name;
      EXPECT_LE(span.start, span.end) << span.name;
      if (span.name == "resumablejob") {
        EXPECT_EQ(span.id, root);
        EXPECT_EQ(span.parent, SpanId{});
      } else if (span.name == "attempt") {
        EXPECT_EQ(span.parent, root);
        EXPECT_NE(std::ranges::find(attempts, span.id), attempts.end());
      } else {
        EXPECT_NE(std::ranges::find(attempts, span.parent), attempts.end()) << span.name;
      }
    }
    const auto known = spans.named("attempt");
    ASSERT_EQ(known.size(), 2U);
    EXPECT_EQ(known[0].id, attempts[0]);
    EXPECT_EQ(known[1].id, attempts[1]);
    EXPECT_LE(known[0].start, known[0].end);
    EXPECT_LE(known[0].end, known[1].start + seconds(1)) << "times in the status are whole seconds";
    std::vector<std::string> events;
    for (const auto& event : known[0].events) events.push_back(event.name);
    EXPECT_EQ(events, (std::vector<std::string>{"interruption", "ended", "checkpoint"}));
    EXPECT_EQ(known[0].status, runtime::SpanStatus::Unset);
    EXPECT_EQ(known[1].status, runtime::SpanStatus::Ok);
    EXPECT_EQ(spans.named("resumablejob").size(), 1U);
  }

  Collected spans;
  int starts = 0;
  std::optional<OperatorProcess> process;
};

TEST_F(Traces, of_a_job_that_was_interrupted_once_have_two_attempts_with_all_their_phases) {
  begin();
  interrupt();
  completes();
  expect_one_tree();
  for (const char* phase : {"pending", "starting", "running"}) EXPECT_EQ(spans.named(phase).size(), 2U) << phase;
  ASSERT_EQ(spans.named("ending").size(), 1U) << "ranks that end by themselves have no end to wait for";
  const Span first = spans.named("attempt")[0];
  EXPECT_EQ(spans.named("ending")[0].parent, first.id);
  const auto running = spans.named("running");
  EXPECT_GE(running[0].end - running[0].start, minutes(5));
  EXPECT_GE(running[0].start, first.start);
  EXPECT_LE(running[0].end, first.end);
}

TEST_F(Traces, go_on_under_the_same_ids_when_another_process_takes_over_at_any_point) {
  begin();
  start_operator();
  interrupt();
  start_operator();
  runs(2);
  start_operator();
  completes();
  expect_one_tree();
  // A takeover waits until the lease has run out.
  const auto attempt = spans.named("attempt")[0];
  EXPECT_GE(attempt.end - attempt.start, minutes(5)) << "the process that closed it did not begin it";
}

}  // namespace
}  // namespace reprise::simulator
