// Lines of what a trainer prints, and the last of them.
#include "agent/core/progress/trainer_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/record/record.h"
#include "agent/json/json.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const runtime::Instant kFirstSecond{1h};

std::vector<std::string> lines_of(OutputLines& lines, std::string_view bytes, runtime::Instant now = kFirstSecond) {
  std::vector<std::string> found;
  lines.take(bytes, now, [&](std::string_view line) { found.emplace_back(line); });
  return found;
}

TEST(output_lines, end_as_on_a_terminal_wherever_they_are_cut) {
  OutputLines lines;
  EXPECT_THAT(lines_of(lines, "a\nb\r\nc\rd"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(lines_of(lines, "e\n\nf"), ElementsAre("de"));
  EXPECT_THAT(lines_of(lines, "\n"), ElementsAre("f"));
}

TEST(output_lines, long_ones_are_cut) {
  OutputLines lines;
  for (int i = 0; i < 5; ++i) EXPECT_THAT(lines_of(lines, std::string(1000, 'x')), ElementsAre());
  EXPECT_THAT(lines_of(lines, "\nnext\n"), ElementsAre(std::string(OutputLines::kLongest, 'x'), "next"));
}

TEST(output_lines, what_is_too_much_for_a_second_is_left_out_by_whole_lines) {
  OutputLines lines;
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "line\n";
  EXPECT_EQ(lines_of(lines, many + "beg").size(), OutputLines::kPerSecond);
  EXPECT_THAT(lines_of(lines, "un\nwhole\n", kFirstSecond + 1s), ElementsAre("whole"));
}

TEST(output_tail, is_the_last_lines_as_a_terminal_shows_them) {
  OutputTail tail;
  tail.take("first\n1%\r2%\r\nsec");
  tail.take("ond \x1b[31mred\x1b[0m\xff\n");
  EXPECT_EQ(tail.text(50, 100), "first\n2%\nsecond red?");
  EXPECT_EQ(tail.text(2, 100), "2%\nsecond red?");
  EXPECT_EQ(tail.text(50, 14), "second red?");
  EXPECT_EQ(tail.text(50, 4), "red?");
}

TEST(output_tail, keeps_a_bounded_part_of_much) {
  OutputTail tail;
  for (int i = 0; i < 100'000; ++i) tail.take("line " + std::to_string(i) + "\n");
  EXPECT_TRUE(tail.text(50, 2048).ends_with("line 99998\nline 99999"));
  tail.take(std::string(1 << 20U, '\0') + "\nend\n");
  EXPECT_TRUE(tail.text(50, 2048).ends_with("end"));
}

TEST(trainer_output, notes_come_from_both_streams_and_from_no_mixture_of_them) {
  std::vector<ProgressNote> notes;
  TrainerOutput output(ProgressPattern(), [&](const ProgressNote& note) { notes.push_back(note); });
  output.take(OutputStream::Output, "step ", kFirstSecond);
  output.take(OutputStream::Error, "step 7\n", kFirstSecond);
  output.take(OutputStream::Output, "8\n", kFirstSecond);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].step, 7);
  EXPECT_EQ(notes[1].step, 8);
}

TEST(trainer_output, tells_at_the_end_how_far_the_trainer_came) {
  const ProgressPattern common;
  EXPECT_EQ(told_at_end("step 49 of 200\nstep 50/200\nTraceback\n", common), (ToldEnd{.step = 50, .total_steps = 200}));
  EXPECT_EQ(told_at_end("step 50\ndone", common), std::nullopt);
  EXPECT_EQ(told_at_end("", common), std::nullopt);
}

TEST(record_with_output, output_is_cut_first_from_its_beginning) {
  Record record;
  record.attempt = 1;
  record.message = std::string(3000, 'm');
  std::string output;
  for (int i = 0; i < 300; ++i) output += "\xC3\xA4\"" + std::to_string(i) + "\n";
  const auto text = encode_record_with_output(record, output + "end");
  EXPECT_LE(text.size(), protocol::kMaxRecordBytes);
  EXPECT_EQ(decode_record(text), record);
  const auto kept = text_of(*parse_object(text), "output").value_or("");
  EXPECT_GT(kept.size(), 200U);
  EXPECT_TRUE(kept.ends_with("end"));
  EXPECT_EQ(encode_record(record).find("output"), std::string::npos);
  record.message = std::string(5000, 'm');
  EXPECT_LE(encode_record_with_output(record, output).size(), protocol::kMaxRecordBytes);
}

// A pod's kubelet has 12 KiB for all its entries, and cuts off the end of what is longer.
TEST(record_with_output, is_whole_in_a_pod_of_many_entries_and_says_last_what_it_was_about) {
  Record record;
  record.job_uid = record.pod_uid = std::string(36, 'u');
  record.attempt = 1;
  record.step = 120;
  record.path = "run/checkpoints/step-120";
  record.resumed_path = "run/checkpoints/" + std::string(200, 'r');
  record.volume = protocol::ReportedVolume{.type = "fuse.juicefs"};
  record.warning = std::string(400, 'w');
  record.message = std::string(3000, 'm');
  std::string output;
  for (int line = 0; line < 200; ++line) output += "line " + std::to_string(line) + "\n";
  for (std::size_t entries = 1; entries <= 20; ++entries) {
    const std::string text = encode_record_with_output(record, output, protocol::record_bytes_with(entries));
    EXPECT_LE(text.size(), std::max<std::size_t>(12'288 / (entries + 1), 1024)) << entries;
    const auto read = decode_record(text);
    ASSERT_TRUE(read) << entries;
    EXPECT_EQ(read->path, record.path) << entries;
    EXPECT_EQ(text_of(*parse_object(text), "lastLine"), "line 199") << entries;
  }
  EXPECT_EQ(protocol::record_bytes_with(0), protocol::kMaxRecordBytes) << "not known";
  EXPECT_EQ(protocol::record_bytes_with(6), 1755U);
}

// By then it has no room for anything that does not decide.
TEST(record_with_output, keeps_what_decides_where_no_more_has_room) {
  Record record;
  record.attempt = 1;
  record.path = std::string(700, 'p');
  record.message = record.warning = "m";
  record.resumed_path = std::string(300, 'r');
  const auto read = decode_record(encode_record_with_output(record, "the last line", 1024));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->path, record.path);
  EXPECT_EQ(read->message + read->warning + read->resumed_path, "");
}

}  // namespace
}  // namespace reprise::agent
