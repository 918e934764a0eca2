// Single jobs as the cache shows them, as gauges.
#include "controllers/metrics/job_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "controllers/metrics/recorder.h"
#include "controllers/metrics/table.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::metrics {
namespace {

using controllers::testing::kStart;
using controllers::testing::MakeJob;
using std::chrono::seconds;
using Status = api::ResumableJobStatus;
using JobPtr = std::shared_ptr<const api::ResumableJob>;
using Jobs = std::vector<JobPtr>;

constexpr std::size_t kMany = 500;
const kube::Time kReadAt = kStart + seconds(1000);

JobPtr begun(const std::string& name, auto&& change, seconds created = seconds(0)) {
  return std::make_shared<const api::ResumableJob>(MakeJob(name)
                                                       .with([&](api::ResumableJob& job) {
                                                         job.meta.creation_timestamp = kStart + created;
                                                         job.status.attempt = 1;
                                                         change(job.status);
                                                       })
                                                       .get());
}

JobPtr begun(const std::string& name, seconds created = seconds(0)) {
  return begun(
      name, [](Status&) {}, created);
}

void say(Status& status, const char* type) {
  kube::Condition said;
  said.type = type;
  said.status = kube::ConditionStatus::True;
  status.conditions.push_back(said);
}

void record(Status& status, std::int64_t step, seconds saved) {
  status.checkpoint.emplace();
  status.checkpoint->step = step;
  status.checkpoint->time = kStart + saved;
}

void report(Status& status, std::int64_t step, seconds saved) {
  status.progress.emplace();
  status.progress->checkpoint = api::LiveCheckpointStatus{.step = step, .time = kStart + saved, .save_seconds = 7};
}

void recover(Status& status, std::optional<seconds> ready, std::optional<seconds> trains) {
  api::LastInterruption last;
  last.time = kStart;
  if (ready) last.recovered_time = kStart + *ready;
  if (trains) last.training_time = kStart + *trains;
  status.last_interruption = last;
}

JobPtr that_tells_all() {
  return begun("fit", [](Status& status) {
    report(status, 40, seconds(900));
    status.progress->step = 45;
    status.interruptions = {{"NodeLost", 1}, {"PodDeleted", 1}};
    status.interruption_count = 2;
    recover(status, seconds(10), seconds(30));
  });
}

// The series without comments.
std::string series(const Jobs& jobs, std::size_t limit = kMany) {
  runtime::MetricsRegistry registry;
  add_gauges(registry, [&] { return job_readings(jobs, kReadAt, limit); });
  const std::string text = registry.expose();
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    if (text[at] != '#') lines.append(text, at, end - at);
    at = end;
  }
  return lines;
}

std::set<std::string> names(const Jobs& jobs, std::size_t limit) {
  std::set<std::string> found;
  for (const runtime::Reading& each : job_readings(jobs, kReadAt, limit))
    for (const auto& [label, value] : each.labels)
      if (label == "resumablejob") found.insert(value);
  return found;
}

double left_out(const Jobs& jobs, std::size_t limit) {
  for (const runtime::Reading& each : job_readings(jobs, kReadAt, limit))
    if (each.name == kJobMetricsLeftOut) return each.value;
  return -1;
}

TEST(JobState, shows_what_a_job_tells_of_itself) {
  EXPECT_EQ(series({that_tells_all()}),
            "reprise_job_checkpoint_age_seconds{namespace=\"vision\",resumablejob=\"fit\"} 100\n"
            "reprise_job_checkpoint_step{namespace=\"vision\",resumablejob=\"fit\"} 40\n"
            "reprise_job_interruptions{namespace=\"vision\",resumablejob=\"fit\"} 2\n"
            "reprise_job_lost_seconds{namespace=\"vision\",resumablejob=\"fit\"} 0\n"
            "reprise_job_metrics_left_out 0\n"
            "reprise_job_progress_step{namespace=\"vision\",resumablejob=\"fit\"} 45\n"
            "reprise_job_restore_seconds{namespace=\"vision\",resumablejob=\"fit\"} 20\n"
            "reprise_job_save_seconds{namespace=\"vision\",resumablejob=\"fit\"} 7\n");
}

TEST(JobState, shows_nothing_that_is_not_known) {
  const auto untold = [](auto&& change) {
    const std::string text = series({begun("fit", change)});
    EXPECT_EQ(text,
              "reprise_job_lost_seconds{namespace=\"vision\",resumablejob=\"fit\"} 0\n"
              "reprise_job_metrics_left_out 0\n");
  };
  untold([](Status&) {});
  untold([](Status& status) { status.progress.emplace(); });
  untold([](Status& status) { recover(status, std::nullopt, std::nullopt); });
  untold([](Status& status) { recover(status, seconds(10), std::nullopt); });
}

TEST(JobState, shows_the_newest_checkpoint_whoever_tells_of_it) {
  const auto shows = [](std::string_view age, std::string_view step, auto&& change) {
    const std::string text = series({begun("fit", change)});
    const std::string labels = "{namespace=\"vision\",resumablejob=\"fit\"} ";
    EXPECT_NE(text.find("checkpoint_age_seconds" + labels + std::string(age) + "\n"), std::string::npos) << text;
    EXPECT_NE(text.find("checkpoint_step" + labels + std::string(step) + "\n"), std::string::npos) << text;
  };
  shows("800", "10", [](Status& status) { record(status, 10, seconds(200)); });
  shows("700", "20", [](Status& status) { report(status, 20, seconds(300)); });
  shows("700", "20", [](Status& status) {
    record(status, 10, seconds(200));
    report(status, 20, seconds(300));
  });
  shows("600", "30", [](Status& status) {
    record(status, 30, seconds(400));
    report(status, 20, seconds(300));
  });
  shows("0", "10", [](Status& status) { record(status, 10, seconds(1001)); });  // another clock's
}

TEST(JobState, a_suspended_job_has_no_age_that_grows) {
  const std::string text = series({begun("fit", [](Status& status) {
    record(status, 10, seconds(200));
    say(status, "Suspended");
  })});
  EXPECT_EQ(text.find("checkpoint_age"), std::string::npos) << text;
  EXPECT_NE(text.find("checkpoint_step"), std::string::npos) << text;
}

TEST(JobState, as_many_jobs_as_may_be_shown_fit_into_each_family) {
  Jobs jobs;
  for (int i = 0; i < 1000; ++i)
    jobs.push_back(begun("fit-" + std::to_string(i), [](Status& status) {
      status.interruptions = {{"NodeLost", 1}, {"PodDeleted", 1}, {"SpotInterrupted", 1}};
      status.interruption_count = 3;
    }));
  const std::string text = series(jobs, 1000);
  EXPECT_EQ(text.find("overflow"), std::string::npos);
  EXPECT_NE(text.find("reprise_job_interruptions{namespace=\"vision\",resumablejob=\"fit-999\"} 3\n"),
            std::string::npos);
}

TEST(JobState, finished_jobs_are_neither_shown_nor_left_out) {
  const Jobs jobs{begun("complete", [](Status& status) { say(status, "Complete"); }),
                  begun("failed", [](Status& status) { say(status, "Failed"); }), begun("trains"), begun("trains-too")};
  EXPECT_EQ(names(jobs, kMany), (std::set<std::string>{"trains", "trains-too"}));
  EXPECT_EQ(left_out(jobs, 1), 1);
}

TEST(JobState, no_more_jobs_are_shown_than_the_limit_and_the_others_are_counted) {
  Jobs jobs;
  for (int i = 0; i < 2000; ++i) jobs.push_back(begun("fit-" + std::to_string(i)));
  for (const std::size_t limit : {1UZ, 500UZ, 1999UZ, 2000UZ, 3000UZ}) {
    const std::size_t shown = std::min<std::size_t>(limit, jobs.size());
    EXPECT_EQ(names(jobs, limit).size(), shown);
    EXPECT_EQ(left_out(jobs, limit), static_cast<double>(jobs.size() - shown)) << limit;
  }
  EXPECT_TRUE(job_readings(jobs, kReadAt, 0).empty()) << "turned off";
}

TEST(JobState, jobs_that_have_begun_come_first_and_older_ones_before_newer_ones) {
  const Jobs in_order{begun("old", seconds(1)),
                      begun(
                          "interrupted", [](Status& status) { say(status, "Interrupted"); }, seconds(2)),
                      begun("a", seconds(3)),
                      begun("b", seconds(3)),
                      begun(
                          "suspended", [](Status& status) { say(status, "Suspended"); }, seconds(0)),
                      begun(
                          "waits", [](Status& status) { status.attempt = 0; }, seconds(1))};
  Jobs reversed = in_order;
  std::ranges::reverse(reversed);
  std::set<std::string> wanted;
  for (std::size_t limit = 1; limit <= in_order.size(); ++limit) {
    wanted.insert(in_order[limit - 1]->meta.name);
    EXPECT_EQ(names(in_order, limit), wanted);
    EXPECT_EQ(names(reversed, limit), wanted);
  }
}

}  // namespace
}  // namespace reprise::controllers::metrics
