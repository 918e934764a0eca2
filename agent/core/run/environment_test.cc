#include "agent/core/run/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using Variables = std::map<std::string, std::string, std::less<>>;

const Variables kLeast{{"REPRISE_JOB_UID", "job"},
                       {"REPRISE_POD_UID", "pod"},
                       {"REPRISE_ATTEMPT", "3"},
                       {"REPRISE_CHECKPOINT_DIR", "/checkpoints"}};

runtime::Result<Environment> read(Variables variables) {
  return read_environment([variables = std::move(variables)](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

Variables with(std::string name, std::string value) {
  Variables variables = kLeast;
  variables[std::move(name)] = std::move(value);
  return variables;
}

TEST(environment, has_defaults_for_what_may_be_absent) {
  const auto env = read(kLeast);
  ASSERT_TRUE(env) << env.error().message;
  EXPECT_EQ(env->attempt, 3);
  EXPECT_EQ(env->index, 0);
  EXPECT_EQ(env->parallelism, 1);
  EXPECT_EQ(env->access, VolumeAccess::Shared);
  EXPECT_EQ(env->keep, std::nullopt);
  EXPECT_EQ(env->resume, ResumePolicy::Latest);
  EXPECT_FALSE(env->expected_step);
  EXPECT_FALSE(env->from_scratch_since);
  EXPECT_EQ(env->notice_signal, 0);
  EXPECT_EQ(env->termination_log, "/dev/termination-log");
  EXPECT_EQ(env->heartbeat_period, 5s);
  EXPECT_EQ(env->watch, 1s);
  EXPECT_TRUE(env->is_volume_leader());
  EXPECT_EQ(env->report_period, 10s);
  EXPECT_FALSE(env->makes_reports());
  EXPECT_EQ(env->progress_pattern, "");
  EXPECT_TRUE(env->watch_output);
  EXPECT_FALSE(env->trusts_sync);
  EXPECT_TRUE(env->puts_unproven_aside);
}

TEST(environment, reads_every_variable) {
  auto variables = kLeast;
  variables.insert({{"JOB_COMPLETION_INDEX", "2"},
                    {"REPRISE_PARALLELISM", "4"},
                    {"REPRISE_DEVICES", "8"},
                    {"REPRISE_POD_ENTRIES", "6"},
                    {"REPRISE_VOLUME_ACCESS", "PerIndex"},
                    {"REPRISE_CHECKPOINT_FORMAT", "Marker"},
                    {"REPRISE_CHECKPOINT_KEEP", "5"},
                    {"REPRISE_CHECKPOINT_GRACE_SECONDS", "110"},
                    {"REPRISE_RESUME", "FromScratch"},
                    {"REPRISE_FROM_SCRATCH_SINCE", "2"},
                    {"REPRISE_EXPECTED_STEP", "12000000000"},
                    {"REPRISE_EXPECTED_CHECKPOINT", "step-12000000000"},
                    {"REPRISE_NOTICE_SIGNAL", "SIGUSR1"},
                    {"REPRISE_NOTICE_FILE", "/n/file"},
                    {"REPRISE_ANNOTATIONS_FILE", "/a/file"},
                    {"REPRISE_TERMINATION_LOG", "/t/log"},
                    {"REPRISE_HEARTBEAT_SECONDS", "0.05"},
                    {"REPRISE_WATCH_SECONDS", "0.5"},
                    {"REPRISE_RESUME_WAIT_SECONDS", "7"},
                    {"REPRISE_REPORT_TOKEN_FILE", "/r/token"},
                    {"REPRISE_REPORT_SECONDS", "0.2"},
                    {"REPRISE_PROGRESS_PATTERN", "at (\\d+)"},
                    {"REPRISE_WATCH_OUTPUT", "false"},
                    {"REPRISE_TRUST_SYNC", "true"},
                    {"REPRISE_UNPROVEN", "Use"}});
  const auto env = read(variables);
  ASSERT_TRUE(env) << env.error().message;
  EXPECT_EQ(env->index, 2);
  EXPECT_EQ(env->parallelism, 4);
  EXPECT_EQ(env->devices, 8);
  EXPECT_EQ(env->entries, 6);
  EXPECT_EQ(env->access, VolumeAccess::PerIndex);
  EXPECT_TRUE(env->is_volume_leader());
  EXPECT_EQ(env->format, "Marker");
  EXPECT_EQ(env->keep, 5);
  EXPECT_EQ(env->grace, 110s);
  EXPECT_EQ(env->resume, ResumePolicy::FromScratch);
  EXPECT_EQ(env->from_scratch_since, 2);
  EXPECT_EQ(env->expected_step, 12'000'000'000);
  EXPECT_EQ(env->expected_checkpoint, "step-12000000000");
  EXPECT_EQ(env->notice_signal, SIGUSR1);
  EXPECT_EQ(env->notice_file, "/n/file");
  EXPECT_EQ(env->annotations_file, "/a/file");
  EXPECT_EQ(env->termination_log, "/t/log");
  EXPECT_EQ(env->heartbeat_period, 50ms);
  EXPECT_EQ(env->watch, 500ms);
  EXPECT_EQ(env->resume_wait, 7s);
  EXPECT_EQ(env->report_token_file, "/r/token");
  EXPECT_EQ(env->report_period, 200ms);
  EXPECT_TRUE(env->makes_reports());
  EXPECT_EQ(env->progress_pattern, "at (\\d+)");
  EXPECT_FALSE(env->watch_output);
  EXPECT_TRUE(env->trusts_sync);
  EXPECT_FALSE(env->puts_unproven_aside);
}

TEST(environment, an_empty_value_counts_as_absent) {
  const auto env = read(with("REPRISE_EXPECTED_STEP", ""));
  ASSERT_TRUE(env);
  EXPECT_FALSE(env->expected_step);
}

struct Bad {
  const char* name;
  const char* value;
  const char* want_allowed;
};

class BadEnvironment : public testing::TestWithParam<Bad> {};

TEST_P(BadEnvironment, is_rejected_by_name_value_and_what_is_allowed) {
  const auto env = read(with(GetParam().name, GetParam().value));
  ASSERT_FALSE(env);
  EXPECT_THAT(env.error().message, testing::HasSubstr(GetParam().name));
  EXPECT_THAT(env.error().message, testing::HasSubstr(*GetParam().value == '\0' ? "nothing" : GetParam().value));
  EXPECT_THAT(env.error().message, testing::HasSubstr(GetParam().want_allowed));
}

INSTANTIATE_TEST_SUITE_P(
    table, BadEnvironment,
    testing::Values(
        Bad{"REPRISE_JOB_UID", "", "UID"}, Bad{"REPRISE_POD_UID", "", "UID"},
        Bad{"REPRISE_CHECKPOINT_DIR", "", "absolute"}, Bad{"REPRISE_CHECKPOINT_DIR", "relative/dir", "absolute"},
        Bad{"REPRISE_ATTEMPT", "", "from 1"}, Bad{"REPRISE_ATTEMPT", "0", "from 1"},
        Bad{"REPRISE_ATTEMPT", "4294967297", "from 1"}, Bad{"JOB_COMPLETION_INDEX", "-1", "from 0"},
        Bad{"REPRISE_PARALLELISM", "two", "from 1"}, Bad{"REPRISE_VOLUME_ACCESS", "shared", "Shared, PerIndex"},
        Bad{"REPRISE_CHECKPOINT_KEEP", "0", "from 1"}, Bad{"REPRISE_CHECKPOINT_GRACE_SECONDS", "1m", "seconds"},
        Bad{"REPRISE_RESUME", "Always", "Latest, Never, FromScratch"}, Bad{"REPRISE_FROM_SCRATCH_SINCE", "0", "from 1"},
        Bad{"REPRISE_EXPECTED_STEP", "12.5", "from 0"}, Bad{"REPRISE_NOTICE_SIGNAL", "SIGKILL", "SIGUSR1"},
        Bad{"REPRISE_HEARTBEAT_SECONDS", "nan", "seconds"}, Bad{"REPRISE_PROGRESS_PATTERN", "step (", "group"},
        Bad{"REPRISE_PROGRESS_PATTERN", "step \\d+", "first group is the step"},
        Bad{"REPRISE_WATCH_OUTPUT", "yes", "true, false"}, Bad{"REPRISE_REPORT_SECONDS", "0", "seconds"},
        Bad{"REPRISE_TRUST_SYNC", "yes", "true, false"}, Bad{"REPRISE_UNPROVEN", "Delete", "PutAside, Use"},
        Bad{"REPRISE_PROGRESS_TIMEOUT_SECONDS", "1h", "seconds"}, Bad{"REPRISE_HANG_SIGNAL", "SIGKILL", "SIGUSR2"}));

}  // namespace
}  // namespace reprise::agent
