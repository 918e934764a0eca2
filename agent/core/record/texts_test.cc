// Texts that are written to files and read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/record/record.h"
#include "agent/core/record/time_text.h"
#include "agent/core/restore/resume_point.h"
#include "agent/core/run/annotations.h"
#include "agent/core/stop/requests/notice.h"
#include "agent/json/json.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using std::chrono::February;
using std::chrono::November;
using std::chrono::seconds;
using std::chrono::sys_days;
using testing::HasSubstr;
using testing::StartsWith;

Record full_record() {
  Record record;
  record.job_uid = "job";
  record.pod_uid = "pod";
  record.attempt = 3;
  record.index = 1;
  record.exit_code = 143;
  record.stop_requested = true;
  record.saved = true;
  record.step = 120;
  record.path = "step-120";
  record.size_bytes = 4096;
  record.checkpoint_time = sys_days(2026y / November / 21) + 9h + 5s;
  record.durable = true;
  record.synced = true;
  record.unproven = 2;
  record.unproven_step = 140;
  record.resumed_from = 80;
  record.resumed_path = "run/last.ckpt";
  record.reason = "Fenced";
  record.message = "says \"why\"\n";
  return record;
}

TEST(record, has_exactly_the_fields_of_the_protocol) {
  EXPECT_EQ(
      encode_record(full_record()),
      R"({"attempt":3,"index":1,"exitCode":143,"finished":false,"asked":true,)"
      R"("saved":true,"requestOnly":false,"reason":"Fenced",)"
      R"("step":120,"durable":true,"synced":true,"unproven":2,"unprovenStep":140,)"
      R"("resumedFromStep":80,"checkpointTime":"2026-11-21T09:00:05Z",)"
      R"("sizeBytes":4096,"path":"step-120","jobUid":"job","podUid":"pod","resumedFromPath":"run/last.ckpt","message":"says \"why\"\n"})");
}

TEST(record, survives_the_way_there_and_back) {
  EXPECT_EQ(decode_record(encode_record(full_record())), full_record());
  Record least;
  least.attempt = 1;
  EXPECT_EQ(decode_record(encode_record(least)), least);
}

TEST(record, is_cut_to_what_the_kubelet_reads) {
  for (const std::string filler : {"x", "\n", "\xC3\xA4", "\"\x01"}) {
    Record record = full_record();
    record.message.clear();
    while (record.message.size() < 20'000) record.message += filler;
    const std::string text = encode_record(record);
    EXPECT_LE(text.size(), protocol::kMaxRecordBytes);
    EXPECT_GE(text.size(), protocol::kMaxRecordBytes / 2);
    const auto back = decode_record(text);
    ASSERT_TRUE(back);
    EXPECT_THAT(record.message, StartsWith(back->message));
    EXPECT_EQ(back->step, record.step);
  }
}

TEST(record, is_not_read_from_what_a_trainer_wrote) {
  for (const char* text :
       {"", "out of memory", "[1]", "{}", R"({"attempt":"1","index":0,"exitCode":0})", "{\"attempt\":1"}) {
    EXPECT_FALSE(decode_record(text)) << text;
  }
}

TEST(resume_point, survives_the_way_there_and_back) {
  const ResumePoint some{.job_uid = "j", .attempt = 2, .pod_uid = "p", .step = 7, .path = "step-7", .rejection = {}};
  const ResumePoint none{.job_uid = "j", .attempt = 2, .pod_uid = "p", .step = {}, .path = {}, .rejection = "lost"};
  EXPECT_EQ(decode_resume_point(encode_resume_point(some)), some);
  EXPECT_EQ(decode_resume_point(encode_resume_point(none)), none);
  EXPECT_THAT(encode_resume_point(none), HasSubstr(R"("step":null,"path":null)"));
}

// A directory's name may be any bytes: in Latin-1, for example.
TEST(resume_point, names_a_directory_whose_name_is_no_utf_8) {
  const ResumePoint point{
      .job_uid = "j", .attempt = 2, .pod_uid = "p", .step = 3, .path = "\xe9poque-3", .rejection = {}};
  EXPECT_EQ(decode_resume_point(encode_resume_point(point)), point);
}

TEST(record, is_utf_8_whatever_a_directory_is_called) {
  Record record;
  record.path = "\xe9poque-3 \xc3\xa9 \xed\xa0\x80 \xf0\x9f\x8e\xb5 \xc3";
  const auto read = decode_record(encode_record(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->path, "?poque-3 \xc3\xa9 ??? \xf0\x9f\x8e\xb5 ?");
}

TEST(resume_point, half_a_text_is_none) {
  const std::string text =
      encode_resume_point({.job_uid = "j", .attempt = 2, .pod_uid = "p", .step = 7, .path = "step-7", .rejection = {}});
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(decode_resume_point(text.substr(0, size))) << size;
}

TEST(heartbeat, has_one_length_for_all_counters) {
  const Identity who{.job_uid = "j", .pod_uid = "p", .attempt = 1, .index = 2};
  const auto first = encode_heartbeat({.who = who, .counter = 1, .period = 5s});
  const auto later = encode_heartbeat({.who = who, .counter = 123'456'789, .period = 5s});
  EXPECT_EQ(first.size(), later.size());
  EXPECT_NE(first, later);
  const auto back = decode_heartbeat(later);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->counter, 123'456'789U);
  EXPECT_EQ(back->who.pod_uid, "p");
  EXPECT_EQ(back->who.index, 2);
  EXPECT_EQ(back->period, 5s);
  EXPECT_FALSE(decode_heartbeat("half a text"));
}

// Its machine still runs when the next attempt begins with a newer agent: a long period is not taken for stillness.
TEST(heartbeat, says_its_period_under_the_key_that_every_version_writes) {
  const auto heartbeat =
      decode_heartbeat(R"({"counter":7,"jobUid":"job","podUid":"pod","attempt":1,"index":0,"beatMilliseconds":30000})");
  ASSERT_TRUE(heartbeat);
  EXPECT_EQ(heartbeat->period, std::chrono::seconds(30));
}

TEST(heartbeat, of_a_damaged_file_has_a_period_that_can_be_reckoned_with) {
  for (const auto& [said, read] :
       {std::pair<const char*, std::chrono::milliseconds>{"9223372036854775807", kLongestHeartbeatPeriod},
        {"-9223372036854775808", 0ms}}) {
    const auto heartbeat =
        decode_heartbeat(R"({"counter":7,"jobUid":"job","podUid":"pod","attempt":1,"index":0,"beatMilliseconds":)" +
                         std::string(said) + "}");
    ASSERT_TRUE(heartbeat) << said;
    EXPECT_EQ(heartbeat->period, read) << said;
  }
}

TEST(notice, says_why_how_long_and_which) {
  EXPECT_EQ(encode_notice(NoticeReason::Stop, 99'900ms, 4, 2),
            R"({"reason":"Stop","deadlineSeconds":99,"attempt":4,"request":2})");
  EXPECT_THAT(encode_notice(NoticeReason::CheckpointRequest, 1s, 4, 2), HasSubstr("CheckpointRequest"));
}

TEST(annotations, are_found_by_their_whole_key) {
  const std::string text =
      "a=\"1\"\nreprise.dev/checkpoint-request-old=\"x\"\nreprise.dev/checkpoint-request=\"7=\\n\"";
  EXPECT_EQ(annotation_of(text, "reprise.dev/checkpoint-request"), "\"7=\\n\"");
  EXPECT_EQ(annotation_of(text, "a"), "\"1\"");
  EXPECT_EQ(annotation_of(text, "b"), std::nullopt);
  EXPECT_EQ(annotation_of("", "a"), std::nullopt);
}

TEST(time_text, is_rfc_3339_in_whole_seconds) {
  const runtime::WallTime time = sys_days(2024y / February / 29) + 23h + 59min + 58s + 999ms;
  EXPECT_EQ(time_text(time), "2024-02-29T23:59:58Z");
  EXPECT_EQ(parse_time_text("2024-02-29T23:59:58Z"), floor<seconds>(time));
  for (const char* bad : {"", "2024-02-30T00:00:00Z", "2024-02-29T23:59:58+01", "yesterday, about noon"}) {
    EXPECT_FALSE(parse_time_text(bad)) << bad;
  }
}

TEST(json, of_the_wrong_type_is_nothing) {
  const auto object = parse_object(R"({"n":1,"t":"x","f":true,"d":1.5})");
  ASSERT_TRUE(object);
  EXPECT_EQ(number_of(*object, "n"), 1);
  EXPECT_EQ(text_of(*object, "t"), "x");
  EXPECT_EQ(flag_of(*object, "f"), true);
  EXPECT_FALSE(number_of(*object, "d"));
  EXPECT_FALSE(text_of(*object, "n"));
  EXPECT_FALSE(flag_of(*object, "absent"));
  EXPECT_FALSE(parse_object("[]"));
  EXPECT_FALSE(parse_object("{"));
}

}  // namespace
}  // namespace reprise::agent
