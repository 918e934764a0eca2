#include "protocol/live_report.h"

#include <gtest/gtest.h>

namespace reprise::protocol {
namespace {

LiveReport full() {
  return {.attempt = 3,
          .index = 1,
          .activity = RankActivity::WaitingForPeer,
          .activity_seconds = 42,
          .message = "rank 0 has not said what to load",
          .checkpoint = ReportedCheckpoint{.step = 120,
                                           .path = "checkpoint-120",
                                           .format = "HuggingFace",
                                           .size_bytes = 4096,
                                           .time = kube::parse_time("2026-11-25T08:42:10Z"),
                                           .structure_only = true,
                                           .save_seconds = 14,
                                           .age_seconds = 7,
                                           .before = true},
          .progress = ReportedProgress{.step = 130,
                                       .total_steps = 1000,
                                       .percentage = 13,
                                       .remaining_seconds = 600,
                                       .steps_per_second = "2.5",
                                       .age_seconds = 1,
                                       .trained_seconds = 95},
          .volume = ReportedVolume{.type = "fuse.gcsfuse", .rename = true, .remove = false, .durability = "Closed"},
          .room = {},
          .resumed_from = 100,
          .unproven = 2,
          .unproven_step = 110};
}

TEST(LiveReport, comes_back_as_it_was_written) {
  const auto back = decode_live_report(encode_live_report(full()));
  ASSERT_TRUE(back) << back.error().path << ": " << back.error().message;
  EXPECT_EQ(*back, full());
}

TEST(LiveReport, says_no_more_than_is_known) {
  const auto back = decode_live_report(R"({"attempt":1,"index":0,"activity":"Restoring","novelty":{"a":[1]}})");
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, (LiveReport{.attempt = 1, .index = 0, .activity = RankActivity::Restoring}));
}

struct Refused {
  std::string json, path;
};

TEST(LiveReport, names_the_field_that_is_not_as_it_must_be) {
  const auto with = [](const std::string& more) {
    return R"({"attempt":1,"index":0,"activity":"Training",)" + more + "}";
  };
  const Refused table[] = {
      {"{}", "attempt"},
      {R"({"attempt":0,"index":0,"activity":"Training"})", "attempt"},
      {R"({"attempt":1,"index":-1,"activity":"Training"})", "index"},
      {R"({"attempt":1,"index":0,"activity":"Sleeping"})", "activity"},
      {R"({"attempt":1,"index":0,"activity":7})", "activity"},
      {with(R"("activitySeconds":-1)"), "activitySeconds"},
      {with(R"("resumedFromStep":-1)"), "resumedFromStep"},
      {with(R"("unproven":-1)"), "unproven"},
      {with(R"("unprovenStep":-1)"), "unprovenStep"},
      {with(R"("activitySeconds":9000000000000)"), "activitySeconds"},
      {with(R"("message":")" + std::string(1025, 'x') + "\""), "message"},
      {with(R"("checkpoint":{})"), "checkpoint.step"},
      {with(R"("checkpoint":{"step":-1})"), "checkpoint.step"},
      {with(R"("checkpoint":[1])"), "checkpoint"},
      {with(R"("checkpoint":{"step":1,"time":"yesterday"})"), "checkpoint.time"},
      {with(R"("checkpoint":{"step":1,"path":")" + std::string(1025, 'x') + "\"}"), "checkpoint.path"},
      {with(R"("progress":{"percentage":101})"), "progress.percentage"},
      {with(R"("progress":{"percentage":12.5})"), "progress.percentage"},
      {with(R"("progress":{"totalSteps":0})"), "progress.totalSteps"},
      {with(R"("progress":{"trainedSeconds":-1})"), "progress.trainedSeconds"},
      {with(R"("progress":{"stepsPerSecond":"fast"})"), "progress.stepsPerSecond"},
      {with(R"("progress":{"stepsPerSecond":"1.2.3"})"), "progress.stepsPerSecond"},
      {with(R"("progress":{"stepsPerSecond":"111111111111111111111"})"), "progress.stepsPerSecond"},
  };
  for (const Refused& row : table) {
    const auto report = decode_live_report(row.json);
    ASSERT_FALSE(report) << row.json;
    EXPECT_EQ(report.error().path, row.path) << row.json << ": " << report.error().message;
  }
}

TEST(LiveReport, what_is_no_object_is_none) {
  for (const char* const text : {"", "[]", "null", "7", R"({"attempt":1)"})
    EXPECT_FALSE(decode_live_report(text)) << text;
}

}  // namespace
}  // namespace reprise::protocol
