#include "rehearsal/outcome/build_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rehearsal/outcome/reported_work.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kCheap = 0.6, kDear = 10;

struct BuildReport : ::testing::Test {
  // A job of `ranks` ranks, each a name of the node it runs on; trains from the begin.
  ReportedJob job_on(const std::string& name, const std::vector<std::string>& nodes) {
    ReportedJob job{.key = "ml/" + name, .facts = {.name = name}};
    job.parallelism = std::ssize(nodes);
    AttemptFacts attempt{.number = 1};
    for (int rank = 0; rank < std::ssize(nodes); ++rank) {
      attempt.ranks.push_back({.rank = rank});
      nodes_[{.job = job.key, .attempt = 1, .rank = rank}] = nodes[static_cast<std::size_t>(rank)];
    }
    job.facts.attempts.push_back(std::move(attempt));
    return job;
  }

  // The newest attempt had a notice, saved step `saved` then and ended; the next goes on from `resumed` there.
  void interrupt(ReportedJob& job, Duration notice, Duration save, std::int64_t saved, Duration end,
                 std::int64_t resumed, const std::string& node) {
    AttemptFacts& attempt = job.facts.attempts.back();
    for (RankFacts& rank : attempt.ranks) {
      rank.asked = notice;
      rank.ended = end;
      rank.last_printed = saved;
    }
    attempt.checkpoints.push_back({.step = saved, .at = save});
    AttemptFacts next{.number = attempt.number + 1, .resumed_from = resumed, .ranks = {{.began = end + seconds(10)}}};
    nodes_[{.job = job.key, .attempt = next.number, .rank = 0}] = node;
    job.facts.attempts.push_back(std::move(next));
  }

  NodesOfRanks nodes_;  // nodes of all jobs that were made
};
struct Cost : BuildReport {};
struct Lost : BuildReport {};
struct Interruption : BuildReport {};
struct Facts : BuildReport {};

void complete(ReportedJob& job, Duration at) {
  for (RankFacts& rank : job.facts.attempts.back().ranks) rank.ended = at;
  job.facts.outcome = JobFacts::Outcome::Complete;
}

RentedNode rented(const std::string& node, double on_demand, std::optional<Duration> noticed = {}) {
  return {.name = node,
          .zone = "zone-a",
          .capacity_type = "spot",
          .noticed = noticed,
          .price_per_hour = on_demand / 3,
          .on_demand_price_per_hour = on_demand};
}

TEST_F(Cost, a_node_that_several_ranks_share_is_paid_once) {
  ReportedJob job = job_on("a", {"m", "m", "m"});
  complete(job, minutes(60));
  const ReportedRun run{.length = minutes(60), .jobs = {job}, .nodes = nodes_, .rented = {rented("m", kCheap)}};
  ASSERT_TRUE(cost_of(run));
  EXPECT_NEAR(cost_of(run)->on_demand, kCheap, 1e-9);
}

TEST_F(Cost, a_node_that_two_jobs_share_is_paid_once) {
  ReportedJob one = job_on("a", {"m"}), two = job_on("b", {"m"});
  complete(one, minutes(60));
  complete(two, minutes(90));
  const ReportedRun run{.length = minutes(90), .jobs = {one, two}, .nodes = nodes_, .rented = {rented("m", kCheap)}};
  EXPECT_NEAR(cost_of(run)->on_demand, 1.5 * kCheap, 1e-9);
}

TEST_F(Cost, on_demand_is_at_the_price_of_the_nodes_that_ran_the_job) {
  ReportedJob job = job_on("a", {"m", "n"});
  complete(job, minutes(60));
  const ReportedRun run{.length = minutes(60),
                        .jobs = {job},
                        .nodes = nodes_,
                        .rented = {rented("m", kCheap), rented("n", 2 * kCheap), rented("idle", kDear)}};
  EXPECT_NEAR(cost_of(run)->on_demand, 3 * kCheap, 1e-9);
  EXPECT_NEAR(cost_of(run)->spent, (3 * kCheap + kDear) / 3, 1e-9) << "what was rented is paid, used or not";
}

TEST_F(Cost, training_counts_until_the_save_that_was_resumed) {
  ReportedJob job = job_on("a", {"m"});
  interrupt(job, minutes(30), minutes(30), 50, minutes(50), 50, "n");
  complete(job, minutes(50) + seconds(10) + minutes(30));
  const ReportedRun run{.length = minutes(81),
                        .jobs = {job},
                        .nodes = nodes_,
                        .rented = {rented("m", kCheap, Duration(minutes(30))), rented("n", kCheap)}};
  EXPECT_NEAR(cost_of(run)->on_demand, kCheap, 1e-9) << "20 minutes went with waiting to be killed";
}

TEST_F(Cost, what_was_cut_short_within_a_notice_counts_up_to_it) {
  const ReportedRun run{.length = minutes(62),
                        .jobs = {job_on("a", {"m"})},
                        .nodes = nodes_,
                        .rented = {rented("m", kCheap, Duration(minutes(60)))}};
  EXPECT_NEAR(cost_of(run)->on_demand, kCheap, 1e-9);
}

TEST_F(Lost, steps_and_time_go_together) {
  struct Row {
    std::string sentence;
    Duration save, end;
    std::int64_t reached, resumed;
    Duration lost;
  };
  const Row rows[] = {{"it saved and ended", seconds(61), seconds(61), 50, 50, seconds(0)},
                      {"it saved and waited to be killed", seconds(61), seconds(160), 50, 50, seconds(0)},
                      {"it saved and trained on", seconds(80), seconds(160), 77, 50, seconds(80)},
                      {"it began anew", seconds(61), seconds(61), 50, 0, seconds(61)}};
  for (const Row& row : rows) {
    ReportedJob job = job_on("a", {"m"});
    interrupt(job, seconds(60), row.save, 50, row.end, row.resumed, "n");
    job.facts.attempts[0].ranks[0].last_printed = row.reached;
    const ReportedRun run{.length = minutes(9), .jobs = {job}};
    const auto seen = interruptions_of(job.facts).at(0);
    EXPECT_EQ(steps_lost(seen), row.reached - row.resumed) << row.sentence;
    EXPECT_EQ(training_lost(run, job, seen), row.lost) << row.sentence;
  }
}

TEST_F(Lost, nothing_when_the_run_was_over_before_it_could_go_on) {
  ReportedJob job = job_on("a", {"m"});
  interrupt(job, seconds(60), seconds(61), 50, seconds(62), 50, "n");
  job.facts.attempts.pop_back();
  const ReportedRun run{.length = seconds(65), .jobs = {job}};
  const auto seen = interruptions_of(job.facts).at(0);
  EXPECT_EQ(steps_lost(seen), 0);
  EXPECT_EQ(training_lost(run, job, seen), Duration{0});
}

TEST_F(Lost, steps_of_a_silent_trainer_are_not_known) {
  ReportedJob job = job_on("a", {"m"});
  interrupt(job, seconds(60), seconds(20), 50, seconds(62), 50, "n");
  job.facts.attempts[0].ranks[0].last_printed.reset();
  const ReportedRun run{.length = minutes(9), .jobs = {job}};
  const auto seen = interruptions_of(job.facts).at(0);
  EXPECT_EQ(steps_lost(seen), std::nullopt);
  EXPECT_EQ(training_lost(run, job, seen), Duration(seconds(42)));
  const RunReport report = build_report(run);
  EXPECT_EQ(report.interruptions.at(0).steps_lost, std::nullopt);
}

TEST_F(Interruption, names_the_node_of_its_own_job) {
  ReportedJob one = job_on("a", {"m1"}), two = job_on("b", {"m2"}), crashed = job_on("c", {"m3", "m3"});
  interrupt(one, seconds(60), seconds(61), 5, seconds(61), 5, "n1");
  interrupt(two, seconds(62), seconds(63), 5, seconds(63), 5, "n2");
  crashed.facts.attempts[0].ranks[0].ended = seconds(50);
  crashed.facts.attempts[0].ranks[1].asked = crashed.facts.attempts[0].ranks[1].ended = seconds(51);
  const ReportedRun run{
      .length = minutes(9),
      .notice = seconds(120),
      .jobs = {one, two, crashed},
      .nodes = nodes_,
      .rented = {rented("old", kCheap, Duration(seconds(30))), rented("m2", kCheap, Duration(seconds(62))),
                 rented("m1", kCheap, Duration(seconds(60))), rented("m3", kCheap, Duration(seconds(59)))}};
  const RunReport report = build_report(run);
  ASSERT_EQ(report.interruptions.size(), 3U);
  EXPECT_EQ(report.interruptions[0].node, "") << "no node was taken from c while it ran";
  EXPECT_EQ(report.interruptions[1].node, "m1, zone-a");
  EXPECT_EQ(report.interruptions[2].node, "m2, zone-a");
}

TEST_F(Interruption, is_survived_where_the_next_attempt_went_on_and_the_verdict_accepts_it) {
  ReportedJob job = job_on("a", {"m"});
  interrupt(job, seconds(60), seconds(61), 5, seconds(61), 5, "n");
  interrupt(job, minutes(3), minutes(3), 9, minutes(3), 9, "o");
  const auto survived = [&](const ReportedJob& each) {
    const RunReport report = build_report({.length = minutes(9), .jobs = {each}});
    return std::vector<bool>{report.interruptions.at(0).survived, report.interruptions.at(1).survived};
  };
  EXPECT_EQ(survived(job), (std::vector<bool>{true, true}));
  job.verdict.lost = {1};
  EXPECT_EQ(survived(job), (std::vector<bool>{true, false}));
  job.verdict.lost = {};
  job.facts.attempts.pop_back();
  EXPECT_EQ(survived(job), (std::vector<bool>{true, false})) << "the run was over before";
  job.facts.outcome = JobFacts::Outcome::Complete;
  EXPECT_EQ(survived(job), (std::vector<bool>{true, true})) << "it ended its training within the grace";
}

TEST_F(Interruption, without_a_notice_names_the_node_that_vanished) {
  ReportedJob job = job_on("a", {"m", "n"});
  for (RankFacts& rank : job.facts.attempts[0].ranks) rank.ended = seconds(60);
  job.facts.attempts[0].ranks[1].vanished = true;
  const ReportedRun run{
      .length = minutes(9), .jobs = {job}, .nodes = nodes_, .rented = {rented("m", kCheap), rented("n", kCheap)}};
  EXPECT_EQ(build_report(run).interruptions.at(0).node, "n, zone-a");
}

TEST_F(Facts, resumes_and_saves_are_judged_where_there_was_something) {
  ReportedJob job = job_on("a", {"m"});
  interrupt(job, seconds(60), seconds(60), 0, seconds(61), 0, "n");
  job.facts.attempts[0].checkpoints.clear();
  const auto facts = build_report({.length = minutes(9), .jobs = {job}}).facts;
  EXPECT_THAT(facts, Not(Contains(Field(&ReportFact::label, "Resumed from a checkpoint"))));
  interrupt(job, minutes(2), minutes(2), 40, minutes(2), 40, "o");
  EXPECT_THAT(build_report({.length = minutes(9), .jobs = {job}}).facts,
              Contains(AllOf(Field(&ReportFact::label, "Resumed from a checkpoint"),
                             Field(&ReportFact::value, "not shown"), Field(&ReportFact::judgement, false))))
      << "the verdict does not hold it against the script either";
  job.facts.attempts.back().ranks[0].first_printed = 41;
  EXPECT_THAT(build_report({.length = minutes(9), .jobs = {job}}).facts,
              Contains(AllOf(Field(&ReportFact::label, "Resumed from a checkpoint"),
                             Field(&ReportFact::value, "1 of 1"), Field(&ReportFact::good, true))));
  job.facts.attempts[1].checkpoints[0].at = minutes(1) + seconds(50);
  EXPECT_THAT(build_report({.length = minutes(9), .jobs = {job}}).facts,
              Contains(AllOf(Field(&ReportFact::label, "Saves after a notice"),
                             Field(&ReportFact::value, HasSubstr("never")))));
}

TEST_F(Interruption, is_reported_with_the_last_lines_of_the_rank_that_did_not_end_well) {
  ReportedJob job = job_on("a", {"m", "m"});
  interrupt(job, seconds(60), seconds(61), 5, seconds(61), 5, "n");
  job.facts.attempts[0].ranks[0].last_lines = {"step 5", "bye"};
  job.facts.attempts[0].ranks[1].last_lines = {"Traceback"};
  EXPECT_EQ(build_report({.length = minutes(9), .jobs = {job}}).interruptions.at(0).last_lines.back(), "bye");
  job.facts.attempts[0].ranks[1].exit_code = 1;
  EXPECT_EQ(build_report({.length = minutes(9), .jobs = {job}}).interruptions.at(0).last_lines.back(), "Traceback");
}

TEST_F(Facts, the_formats_that_were_recognised_are_named_once_each) {
  ReportedJob job = job_on("a", {"m"});
  const auto recognised = [&] {
    for (const ReportFact& fact : build_report({.length = minutes(9), .jobs = {job}}).facts)
      if (fact.label == "Checkpoints recognised as") return fact.value;
    return std::string("(not said)");
  };
  EXPECT_EQ(recognised(), "(not said)");
  auto& seen = job.facts.attempts.back().checkpoints;
  seen.push_back({.step = 1, .complete = false});
  EXPECT_EQ(recognised(), "(not said)");
  for (const char* format : {"HuggingFace", "HuggingFace", "Marker"}) seen.push_back({.step = 2, .format = format});
  EXPECT_EQ(recognised(), "HuggingFace, Marker");
}

TEST_F(Facts, nothing_is_shown_where_no_job_fails_and_one_was_not_rehearsed) {
  const auto shown = [](const std::vector<bool>& open) {
    ReportedRun run{.length = minutes(9)};
    for (const bool each : open) {
      run.jobs.push_back({.key = "ml/a", .facts = {.name = "a"}});
      run.jobs.back().verdict.findings = {{.what = "w", .advice = "a", .open = each}};
    }
    const RunReport report = build_report(run);
    EXPECT_FALSE(report.survived);
    return report.shown;
  };
  EXPECT_FALSE(shown({true}));
  EXPECT_FALSE(shown({true, true}));
  EXPECT_TRUE(shown({true, false}));
}

TEST_F(Facts, weights_that_were_not_compared_are_not_reported_as_good) {
  using State = WeightsFacts::State;
  const auto weights = [&](State state) {
    ReportedJob job = job_on("a", {"m"});
    job.facts.weights = {state, "w"};
    for (const ReportFact& fact : build_report({.length = minutes(9), .jobs = {job}}).facts)
      if (fact.label == "Final weights, as if undisturbed") return fact;
    return ReportFact{};
  };
  EXPECT_THAT(weights(State::NotAsked).value, HasSubstr("--verify-weights"));
  for (const State state : {State::NotAsked, State::Arbitrary, State::NotCompared})
    EXPECT_FALSE(weights(state).judgement);
  EXPECT_TRUE(weights(State::Equal).judgement && weights(State::Equal).good);
  EXPECT_FALSE(weights(State::Different).good);
}

}  // namespace
}  // namespace reprise::rehearsal
