// The operator reads each live report that the agent writes, whatever it holds.
#include <gtest/gtest.h>

#include <limits>

#include "agent/core/progress/live_report.h"
#include "protocol/agent_protocol.h"
#include "protocol/live_report.h"

namespace reprise {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::expected<protocol::LiveReport, kube::DecodeError> read(const agent::LiveReport& written) {
  const auto text = agent::encode_live_report(written);
  EXPECT_LE(text.size(), protocol::kMaxLiveReportBytes);
  auto decoded = protocol::decode_live_report(text);
  if (!decoded) ADD_FAILURE() << decoded.error().path << ": " << decoded.error().message << " in " << text;
  return decoded;
}

agent::LiveReport full() {
  agent::LiveReport written{.attempt = 7, .index = 3, .activity = agent::Activity::Saving, .activity_age = 12'900ms};
  written.message = "a \"quoted\" line\nand another";
  written.checkpoint = agent::LiveCheckpoint{.checkpoint = {.name = "step-1200",
                                                            .step = 1200,
                                                            .complete = true,
                                                            .time = *kube::parse_time("2026-11-21T09:00:00Z"),
                                                            .format = "HuggingFace"},
                                             .structure_only = true,
                                             .size_bytes = 123,
                                             .save = 41s,
                                             .age = 61s,
                                             .was_before = true};
  written.progress = agent::Progress::State{
      .note = {.step = 1234, .total_steps = 5000, .percentage = 24, .remaining_seconds = 99, .steps_per_second = 2.5},
      .age = 4s,
      .trained = 95'900ms};
  written.volume =
      protocol::ReportedVolume{.type = "fuse.gcsfuse", .rename = true, .remove = false, .durability = "Closed"};
  written.room = protocol::ReportedRoom{.free_bytes = 1,
                                        .save_bytes = 2,
                                        .needed_bytes = 4,
                                        .generations = 5,
                                        .keep = 2,
                                        .keep_deletes = 3,
                                        .keep_frees_bytes = 6,
                                        .torn_bytes = 7,
                                        .quarantine_bytes = 8,
                                        .unproven_bytes = 9};
  written.resumed_from = 900;
  written.unproven = 2;
  written.unproven_step = 1100;
  return written;
}

TEST(AgentLiveReport, is_read_by_the_operator_as_the_agent_wrote_it) {
  const auto got = read(full());
  ASSERT_TRUE(got);
  const protocol::LiveReport want{
      .attempt = 7,
      .index = 3,
      .activity = protocol::RankActivity::Saving,
      .activity_seconds = 12,
      .message = "a \"quoted\" line\nand another",
      .checkpoint = protocol::ReportedCheckpoint{.step = 1200,
                                                 .path = "step-1200",
                                                 .format = "HuggingFace",
                                                 .size_bytes = 123,
                                                 .time = *kube::parse_time("2026-11-21T09:00:00Z"),
                                                 .structure_only = true,
                                                 .save_seconds = 41,
                                                 .age_seconds = 61,
                                                 .before = true},
      .progress = protocol::ReportedProgress{.step = 1234,
                                             .total_steps = 5000,
                                             .percentage = 24,
                                             .remaining_seconds = 99,
                                             .steps_per_second = "2.5",
                                             .age_seconds = 4,
                                             .trained_seconds = 95},
      .volume =
          protocol::ReportedVolume{.type = "fuse.gcsfuse", .rename = true, .remove = false, .durability = "Closed"},
      .room = protocol::ReportedRoom{.free_bytes = 1,
                                     .save_bytes = 2,
                                     .needed_bytes = 4,
                                     .generations = 5,
                                     .keep = 2,
                                     .keep_deletes = 3,
                                     .keep_frees_bytes = 6,
                                     .torn_bytes = 7,
                                     .quarantine_bytes = 8,
                                     .unproven_bytes = 9},
      .resumed_from = 900,
      .unproven = 2,
      .unproven_step = 1100};
  EXPECT_EQ(*got, want);
}

TEST(AgentLiveReport, has_the_operators_name_of_each_activity) {
  for (const auto& [here, there] : std::vector<std::pair<agent::Activity, protocol::RankActivity>>{
           {agent::Activity::Restoring, protocol::RankActivity::Restoring},
           {agent::Activity::WaitingForPeer, protocol::RankActivity::WaitingForPeer},
           {agent::Activity::Training, protocol::RankActivity::Training},
           {agent::Activity::Saving, protocol::RankActivity::Saving},
           {agent::Activity::Stopping, protocol::RankActivity::Stopping}}) {
    const auto got = read({.activity = here});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->activity, there);
  }
}

TEST(AgentLiveReport, absent_values_stay_absent) {
  const auto least = read({.attempt = 1});
  ASSERT_TRUE(least);
  EXPECT_FALSE(least->checkpoint || least->progress);
  const auto got = read({.checkpoint = agent::LiveCheckpoint{}, .progress = agent::Progress::State{}});
  ASSERT_TRUE(got);
  EXPECT_FALSE(got->checkpoint->size_bytes || got->checkpoint->save_seconds);
  EXPECT_FALSE(got->progress->step || got->progress->percentage || got->progress->trained_seconds);
  EXPECT_EQ(got->progress->steps_per_second, "");
}

TEST(AgentLiveReport, is_valid_whatever_the_volume_and_the_trainer_say) {
  for (const std::string filler : {"x", "\n", "\x01", "\xC3\xA4", "\xFF", "\"\x01"}) {
    auto written = full();
    written.message.clear();
    while (written.message.size() < 9'000) written.message += filler;
    written.checkpoint->checkpoint.name = written.message;
    written.checkpoint->checkpoint.format = written.message;
    written.volume->type = written.message;
    EXPECT_TRUE(read(written));
  }
  for (const std::int64_t number :
       {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{0}, kMost}) {
    auto written = full();
    written.checkpoint->checkpoint.step = number;
    written.checkpoint->size_bytes = number;
    written.checkpoint->save = std::chrono::milliseconds(number);
    written.checkpoint->age = written.activity_age = std::chrono::milliseconds(number);
    written.checkpoint->checkpoint.time = runtime::WallTime(std::chrono::microseconds(number));
    written.progress->note.step = written.progress->note.total_steps = number;
    written.progress->note.remaining_seconds = number;
    written.progress->note.percentage = static_cast<std::int32_t>(number);
    written.progress->trained = std::chrono::milliseconds(number);
    EXPECT_TRUE(read(written));
  }
  for (const double rate : {0.0, -1.0, 1e-9, 0.00031, 1e300, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    auto written = full();
    written.progress->note.steps_per_second = rate;
    EXPECT_TRUE(read(written));
  }
}

}  // namespace
}  // namespace reprise
