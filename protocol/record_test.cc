#include "protocol/record.h"

#include <gtest/gtest.h>

#include "protocol/agent_protocol.h"

namespace reprise::protocol {
namespace {

TEST(AgentRecord, comes_back_as_it_was_written) {
  Record record;
  record.attempt = 3;
  record.index = 1;
  record.exit_code = 143;
  record.stop_requested = record.saved = record.durable = true;
  record.step = 12000;
  record.path = "step-12000";
  record.size_bytes = std::int64_t{5} << 30;
  record.checkpoint_time = kube::parse_time("2026-11-21T08:42:10Z");
  record.volume = ReportedVolume{.type = "nfs4", .rename = true, .remove = false, .durability = "Synced"};
  record.resumed_from = 11000;
  record.unproven = 2;
  record.unproven_step = 13000;
  record.reason = "Fenced";
  record.message = "a newer attempt \"4\" owns the volume\n";
  const std::string text = encode_record(record);
  const auto back = decode_record(text);
  ASSERT_TRUE(back) << back.error().path << ": " << back.error().message;
  EXPECT_EQ(encode_record(*back), text);
  EXPECT_EQ(back->step, 12000);
  EXPECT_EQ(back->resumed_from, 11000);
  EXPECT_EQ(back->unproven, 2);
  EXPECT_EQ(back->unproven_step, 13000);
  EXPECT_EQ(back->checkpoint_time, record.checkpoint_time);
  EXPECT_EQ(back->message, record.message);
  EXPECT_TRUE(back->stop_requested && back->saved && back->durable && !back->finished);
}

TEST(AgentRecord, leaves_out_what_is_not_known) {
  Record record;
  record.attempt = 1;
  record.finished = true;
  EXPECT_EQ(
      encode_record(record),
      R"({"asked":false,"attempt":1,"durable":false,"exitCode":0,"finished":true,"index":0,"saved":false,"structureOnly":false})");
}

TEST(AgentRecord, text_of_a_trainers_own_is_not_a_record) {
  for (const char* const text :
       {"", "Traceback (most recent call last):", "{}", "[]", "null", "7", "\"x\"", R"({"attempt":1,"index":0})",
        R"({"attempt":"1","index":0,"exitCode":0})", R"({"attempt":1,"index":0,"exitCode":99999999999})",
        R"({"attempt":1,"index":0,"exitCode":0} trailing)"}) {
    EXPECT_FALSE(decode_record(text)) << text;
  }
}

TEST(AgentRecord, that_is_cut_is_read_as_long_as_it_says_whether_a_stop_was_asked_for) {
  const std::string_view whole =
      R"({"attempt":1,"index":0,"exitCode":0,"finished":false,"asked":true,"saved":true,"step":120,"message":"m"})";
  const auto cut = decode_record(whole.substr(0, whole.find("0,\"message")));
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->stop_requested && cut->saved);
  EXPECT_FALSE(cut->step) << "12 of 120";
  EXPECT_FALSE(decode_record(whole.substr(0, whole.find(",\"saved"))));
  EXPECT_TRUE(decode_record(whole.substr(0, whole.find("\"saved"))));
}

// Wherever it was cut, it says nothing that the whole one does not say, and never less the longer it is.
TEST(AgentRecord, that_is_cut_anywhere_says_what_the_whole_one_says_or_nothing) {
  const std::string_view text =
      R"({"attempt":31,"index":12,"exitCode":143,"finished":false,"asked":true,"saved":true,"requestOnly":false,)"
      R"("reason":"Hung","step":1200,"durable":true,"synced":true,"resumedFromStep":800,)"
      R"("checkpointTime":"2026-11-21T09:00:05Z","sizeBytes":4096,"format":"Marker","path":"run, {1}/step-\"1200\"",)"
      R"("jobUid":"job","podUid":"pod","volume":{"type":"ext4","rename":true},"lastLine":"line, \\","message":"m","output":"o"})";
  const auto whole = decode_record(text);
  ASSERT_TRUE(whole) << whole.error().message;
  ASSERT_EQ(whole->step, 1200);
  const auto says = [&](auto member, std::size_t length) {
    const auto cut = decode_record(text.substr(0, length));
    return !cut || (*cut).*member == (*whole).*member || (*cut).*member == Record().*member;
  };
  bool was_read = false;
  for (std::size_t length = 1; length < text.size(); ++length) {
    const auto cut = decode_record(text.substr(0, length));
    EXPECT_TRUE(cut || !was_read) << length;
    was_read = cut.has_value();
    if (!cut) continue;
    EXPECT_EQ(cut->exit_code, whole->exit_code) << length;
    EXPECT_EQ(cut->stop_requested, whole->stop_requested) << length;
    EXPECT_TRUE(says(&Record::saved, length) && says(&Record::reason, length) && says(&Record::step, length) &&
                says(&Record::durable, length) && says(&Record::path, length) && says(&Record::message, length) &&
                says(&Record::resumed_from, length) && says(&Record::size_bytes, length) &&
                says(&Record::format, length))
        << text.substr(0, length);
  }
  EXPECT_TRUE(was_read);
}

TEST(AgentRecord, unknown_fields_of_a_newer_agent_are_ignored) {
  const auto record = decode_record(R"({"attempt":1,"index":2,"exitCode":85,"novelty":{"a":[1]}})");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->exit_code, kCheckpointedExitCode);
}

}  // namespace
}  // namespace reprise::protocol
