// Gauges of what the caches show.
#include "controllers/metrics/state.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/metrics/recorder.h"
#include "controllers/metrics/table.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::metrics {
namespace {

using controllers::testing::kStart;
using controllers::testing::MakeJob;
using controllers::testing::MakePool;
using std::chrono::seconds;
using Jobs = std::vector<std::shared_ptr<const api::ResumableJob>>;

kube::Condition is_true(const char* type, const char* reason) {
  kube::Condition made;
  made.type = type;
  made.status = kube::ConditionStatus::True;
  made.reason = reason;
  return made;
}

std::shared_ptr<const api::ResumableJob> job(auto&& change) {
  return std::make_shared<const api::ResumableJob>(MakeJob("fit").with(change).get());
}

const StillReports kAllReport = [](const api::ResumableJob&) { return true; };

// As Prometheus reads it.
std::string shown(const Jobs& jobs, const std::vector<std::shared_ptr<const api::GpuPool>>& pools,
                  bool still_report = true) {
  runtime::MetricsRegistry registry;
  add_gauges(registry,
             [&] { return readings(jobs, pools, kStart + seconds(100), [&](const auto&) { return still_report; }); });
  return registry.expose();
}

// Ready at kStart; 100 s have gone when metrics are read.
std::shared_ptr<const api::ResumableJob> running(std::int32_t period, std::optional<kube::Time> saved, bool reports) {
  return job([&](auto& j) {
    j.spec.pool_name = "t4";
    j.spec.checkpoint.period_seconds = period;
    j.status.members.resize(1);
    j.status.attempt_start_time = kStart;
    j.status.conditions = {is_true("PodsReady", "Running")};
    j.status.conditions[0].last_transition_time = kStart;
    if (!reports) return;
    j.status.progress.emplace();
    j.status.progress->activity = "Training";
    j.status.progress->last_updated_time = kStart + seconds(90);
    if (saved) j.status.progress->checkpoint = api::LiveCheckpointStatus{.step = 10, .time = saved};
  });
}

TEST(State, shows_jobs_that_train_without_saving) {
  const auto overdue = [](const std::shared_ptr<const api::ResumableJob>& one) {
    const std::string text = shown({one}, {MakePool("t4").get()});
    return text.find("reprise_checkpoints_overdue{pool=\"t4\"} 1\n") != std::string::npos;
  };
  EXPECT_TRUE(overdue(running(30, std::nullopt, true))) << "nothing saved for 100 s";
  EXPECT_TRUE(overdue(running(30, kStart + seconds(5), true)));
  EXPECT_FALSE(overdue(running(30, kStart + seconds(10), true))) << "saved 90 s ago";
  EXPECT_FALSE(overdue(running(34, std::nullopt, true)));
  EXPECT_FALSE(overdue(running(30, std::nullopt, false))) << "nobody says what it saves";
  const std::string silent = shown({running(30, kStart + seconds(5), true)}, {MakePool("t4").get()}, false);
  EXPECT_NE(silent.find("reprise_checkpoints_overdue{pool=\"t4\"} 0\n"), std::string::npos)
      << "its ranks do not get through any more, and may save all the same";
}

TEST(State, shows_a_pool_without_a_job_or_a_node_as_zeros) {
  const std::string text = shown({}, {MakePool("t4").get()});
  EXPECT_NE(text.find("reprise_jobs{pool=\"t4\",state=\"Running\"} 0\n"), std::string::npos);
  EXPECT_NE(text.find("reprise_recovery_pending_seconds{pool=\"t4\"} 0\n"), std::string::npos);
  EXPECT_NE(text.find("reprise_pool_gpus_limit{capacity_type=\"spot\",pool=\"t4\"} 16\n"), std::string::npos);
}

TEST(State, shows_what_a_pool_has_and_costs) {
  const std::string text = shown(
      {}, {MakePool("t4")
               .with([](api::GpuPool& pool) {
                 pool.status.capacity = {{.type = api::CapacityType::OnDemand, .nodes = 2, .gpus = 8, .gpus_used = 3}};
                 pool.status.units = {.total = 32, .used = 9};
                 pool.status.cost = {"12.50", "0.1578", "20.00"};
               })
               .get()});
  for (const char* line :
       {"reprise_pool_nodes{capacity_type=\"on-demand\",pool=\"t4\"} 2\n",
        "reprise_pool_gpus{capacity_type=\"on-demand\",pool=\"t4\",state=\"used\"} 3\n",
        "reprise_pool_gpus{capacity_type=\"on-demand\",pool=\"t4\",state=\"idle\"} 5\n",
        "reprise_pool_units{pool=\"t4\",state=\"idle\"} 23\n", "reprise_pool_cost_dollars_per_hour{pool=\"t4\"} 12.5\n",
        "reprise_pool_idle_cost_dollars_per_hour{pool=\"t4\"} 0.1578\n",
        "reprise_pool_on_demand_cost_dollars_per_hour{pool=\"t4\"} 20\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(State, counts_jobs_by_state_and_shows_the_longest_recovery) {
  const Jobs jobs{job([](api::ResumableJob& j) { j.status.conditions = {is_true("PodsReady", "Started")}; }),
                  job([](api::ResumableJob& j) {
                    j.status.conditions = {is_true("Interrupted", "SpotInterrupted")};
                    api::LastInterruption last;
                    last.time = kStart + seconds(40);
                    j.status.last_interruption = last;
                  }),
                  job([](api::ResumableJob& j) {
                    j.status.conditions = {is_true("Failed", "BackoffLimitExceeded"), is_true("Stalled", "x")};
                    api::LastInterruption last;
                    last.time = kStart;
                    j.status.last_interruption = last;
                  })};
  const std::string text = shown(jobs, {MakePool("t4").get()});
  for (const char* line :
       {"reprise_jobs{pool=\"t4\",state=\"Running\"} 1\n", "reprise_jobs{pool=\"t4\",state=\"Recovering\"} 1\n",
        "reprise_jobs{pool=\"t4\",state=\"Failed\"} 1\n", "reprise_jobs{pool=\"t4\",state=\"Stalled\"} 0\n",
        "reprise_recovery_pending_seconds{pool=\"t4\"} 60\n",
        "reprise_status_condition_count{kind=\"ResumableJob\",reason=\"Started\",status=\"True\",type=\"PodsReady\"} "
        "1\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(State, shows_how_long_a_condition_has_had_its_status_where_it_has_had_it_longest) {
  const auto stalled_since = [](seconds after) {
    return job([after](api::ResumableJob& j) {
      j.status.conditions = {is_true("Stalled", "NoProgress")};
      j.status.conditions.front().last_transition_time = kStart + after;
    });
  };
  const std::string text = shown({stalled_since(seconds(20)), stalled_since(seconds(10))}, {});
  EXPECT_NE(text.find("reprise_status_condition_current_status_seconds{kind=\"ResumableJob\",reason=\"NoProgress\","
                      "status=\"True\",type=\"Stalled\"} 90\n"),
            std::string::npos)
      << text;
}

// Writers of Events or of pods' conditions choose the words.
TEST(State, reasons_of_interruptions_that_nobody_knows_share_one_label) {
  Jobs jobs;
  for (const char* reason : {"MadeUp", "MadeUpToo", "SpotInterrupted"})
    jobs.push_back(job([&](api::ResumableJob& j) { j.status.conditions = {is_true("Interrupted", reason)}; }));
  const std::string text = shown(jobs, {});
  for (const char* reason : {"reason=\"Other\",status=\"True\",type=\"Interrupted\"} 2\n",
                             "reason=\"SpotInterrupted\",status=\"True\",type=\"Interrupted\"} 1\n"})
    EXPECT_NE(text.find(std::string("status_condition_count{kind=\"ResumableJob\",") + reason), std::string::npos)
        << text;
  EXPECT_EQ(text.find("MadeUp"), std::string::npos) << text;
}

// Makers of jobs may write any name.
TEST(State, jobs_of_pools_that_are_not_there_share_one_label) {
  Jobs jobs;
  for (int i = 0; i < 2000; ++i)
    jobs.push_back(job([&](api::ResumableJob& j) { j.spec.pool_name = "made-up-" + std::to_string(i); }));
  jobs.push_back(job([](api::ResumableJob& j) { j.spec.pool_name = ""; }));
  jobs.push_back(job([](api::ResumableJob&) {}));
  const std::string text = shown(jobs, {MakePool("t4").get()});
  for (const char* line :
       {"reprise_jobs{pool=\"(not there)\",state=\"Waiting\"} 2000\n",
        "reprise_jobs{pool=\"t4\",state=\"Waiting\"} 1\n", "reprise_jobs{pool=\"\",state=\"Waiting\"} 1\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
  EXPECT_EQ(text.find("made-up"), std::string::npos);
}

TEST(State, no_reading_names_a_job_or_a_namespace) {
  for (const runtime::Reading& each : readings({job([](api::ResumableJob&) {})}, {}, kStart, kAllReport))
    for (const auto& [label, value] : each.labels) {
      EXPECT_NE(value, "fit") << each.name;
      EXPECT_NE(value, "vision") << each.name;
    }
}

TEST(State, every_gauge_of_the_table_that_is_of_no_job_is_read_and_no_other) {
  std::vector<std::string> read;
  const auto pool = MakePool("t4")
                        .with([](api::GpuPool& p) {
                          p.status.capacity = {{.type = api::CapacityType::Spot}};
                          p.status.conditions = {is_true("Ready", "Ready")};
                        })
                        .get();
  for (const runtime::Reading& each : readings({}, {pool}, kStart, kAllReport)) read.push_back(each.name);
  for (const Info& each : all()) {
    const bool of_a_job = std::string_view(each.name).starts_with("reprise_job_");
    EXPECT_EQ(std::ranges::find(read, each.name) != read.end(), each.type == Type::Gauge && !of_a_job) << each.name;
  }
}

}  // namespace
}  // namespace reprise::controllers::metrics
