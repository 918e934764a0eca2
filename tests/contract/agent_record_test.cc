// The operator reads each record that the agent writes.
#include <gtest/gtest.h>

#include "agent/core/record/record.h"
#include "protocol/last_output.h"
#include "protocol/record.h"

namespace reprise {
namespace {

TEST(AgentRecord, is_read_by_the_operator_as_the_agent_wrote_it) {
  agent::Record written;
  written.job_uid = "uid-job";
  written.pod_uid = "uid-pod";
  written.attempt = 7;
  written.index = 3;
  written.exit_code = 143;
  written.stop_requested = true;
  written.request_only = true;
  written.saved = true;
  written.step = 1200;
  written.path = "step-1200";
  written.size_bytes = 123456789;
  written.checkpoint_time = *kube::parse_time("2026-11-21T09:00:00.25Z");
  written.durable = written.structure_only = true;
  written.format = "HuggingFace";
  written.volume = protocol::ReportedVolume{.type = "nfs4", .rename = true, .remove = false, .durability = "Synced"};
  written.resumed_from = 1100;
  written.resumed_path = "run/last.ckpt";
  written.told = agent::ToldEnd{.step = 1190, .total_steps = 5000};
  written.full = protocol::ReportedRoom{.free_bytes = 1,
                                        .save_bytes = 2,
                                        .needed_bytes = 4,
                                        .generations = 5,
                                        .keep = 2,
                                        .keep_deletes = 3,
                                        .keep_frees_bytes = 6,
                                        .torn_bytes = 7,
                                        .quarantine_bytes = 8,
                                        .unproven_bytes = 9};
  written.reason = "SomeReason";
  written.message = "a \"quoted\" line\nand another";
  const auto read = protocol::decode_record(agent::encode_record(written));
  ASSERT_TRUE(read) << read.error().path << ": " << read.error().message;
  EXPECT_EQ(read->attempt, 7);
  EXPECT_EQ(read->index, 3);
  EXPECT_EQ(read->exit_code, 143);
  EXPECT_FALSE(read->finished);
  EXPECT_TRUE(read->stop_requested);
  EXPECT_EQ(read->request_only, true);
  EXPECT_TRUE(read->saved);
  EXPECT_EQ(read->step, 1200);
  EXPECT_EQ(read->path, "step-1200");
  EXPECT_EQ(read->size_bytes, 123456789);
  ASSERT_TRUE(read->checkpoint_time);
  EXPECT_LT(std::chrono::abs(*read->checkpoint_time - *written.checkpoint_time), std::chrono::seconds(1));
  EXPECT_TRUE(read->durable && read->structure_only);
  EXPECT_EQ(read->format, "HuggingFace");
  EXPECT_EQ(read->volume, written.volume);
  EXPECT_EQ(read->resumed_from, 1100);
  EXPECT_EQ(read->resumed_path, "run/last.ckpt");
  EXPECT_EQ(read->told_step, 1190);
  EXPECT_EQ(read->total_steps, 5000);
  EXPECT_EQ(read->full, written.full);
  EXPECT_EQ(read->reason, "SomeReason");
  EXPECT_EQ(read->message, written.message);
}

TEST(AgentRecord, is_read_with_the_last_of_the_output_too) {
  agent::Record written;
  written.attempt = 2;
  written.exit_code = 1;
  const auto read = protocol::decode_record(agent::encode_record_with_output(written, "Traceback\nMemoryError"));
  ASSERT_TRUE(read) << read.error().path << ": " << read.error().message;
  EXPECT_EQ(read->attempt, 2);
  EXPECT_EQ(read->exit_code, 1);
}

// Each container of a pod has its share of 12 KiB: the kubelet cuts longer messages.
TEST(AgentRecord, is_read_where_the_kubelet_has_cut_the_output_off) {
  agent::Record written;
  written.attempt = 2;
  written.exit_code = 1;
  written.step = 1200;
  written.path = "step-1200";
  written.durable = true;
  written.message = R"(a \"message\" of its own, "output":")";
  const std::string whole = agent::encode_record_with_output(written, std::string(2000, '"') + "\nline 0199\n");
  for (const std::size_t containers : {4U, 5U, 8U, 11U}) {
    const std::string cut = whole.substr(0, 12288 / containers);
    const auto read = protocol::decode_record(cut);
    ASSERT_TRUE(read) << read.error().path << ": " << read.error().message;
    EXPECT_EQ(read->step, 1200);
    EXPECT_EQ(read->message, written.message);
    EXPECT_TRUE(read->durable);
    EXPECT_EQ(protocol::last_output_line(cut), "line 0199");
  }
  EXPECT_FALSE(protocol::decode_record(whole.substr(0, 60)));
}

// Twelve containers have 1 KiB each.
TEST(AgentRecord, holds_what_decides_in_its_first_kilobyte_whatever_else_it_says) {
  for (const std::string& filler :
       {std::string("m"), std::string("\""), std::string("\xe2\x82\xac"), std::string(1, '\x01')}) {
    agent::Record written;
    written.job_uid = written.pod_uid = "0f0e0d0c-0b0a-0908-0706-050403020100";
    written.attempt = written.index = 2147483647;
    written.stop_requested = true;
    written.saved = true;
    written.step = written.resumed_from = written.size_bytes = 9223372036854775807;
    written.path = "runs/" + std::string(200, 'p') + "/step-9223372036854775807";
    written.told = agent::ToldEnd{.step = 9223372036854775807, .total_steps = 9223372036854775807};
    written.format = "HuggingFace";
    written.checkpoint_time = *kube::parse_time("2026-11-21T09:00:00Z");
    written.durable = written.structure_only = true;
    written.volume = protocol::ReportedVolume{.type = "nfs4", .rename = true, .remove = false, .durability = "Synced"};
    written.reason = "CheckpointLost";
    std::string long_text;
    for (int i = 0; i < 3000; ++i) long_text += filler;
    written.message = written.warning = written.damaged = long_text;
    const std::string whole = agent::encode_record_with_output(written, long_text + "\nend");
    EXPECT_LE(whole.size(), 4096U);
    const auto read = protocol::decode_record(std::string_view(whole).substr(0, 1024));
    ASSERT_TRUE(read) << read.error().path << ": " << read.error().message;
    EXPECT_TRUE(read->stop_requested && read->saved && read->durable && !read->finished);
    EXPECT_EQ(read->exit_code, 0);
    EXPECT_EQ(read->step, written.step);
    EXPECT_EQ(read->path, written.path);
    EXPECT_EQ(read->reason, written.reason);
    EXPECT_EQ(read->resumed_from, written.resumed_from);

    agent::Record wordy = written;
    wordy.warning.clear();
    wordy.damaged.clear();
    const std::string alone = agent::encode_record(wordy);
    EXPECT_TRUE(protocol::decode_record(std::string_view(alone).substr(0, 1024))) << "its message is long";

    written.path = long_text;
    const std::string beside = agent::encode_record(written);
    const auto without_path = protocol::decode_record(std::string_view(beside).substr(0, 1024));
    ASSERT_TRUE(without_path);
    EXPECT_EQ(without_path->step, written.step);
    EXPECT_EQ(without_path->path, "") << "half a path names something else";
  }
}

TEST(AgentRecord, absent_values_stay_absent) {
  agent::Record written;
  written.finished = true;
  const auto read = protocol::decode_record(agent::encode_record(written));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->finished);
  EXPECT_FALSE(read->step);
  EXPECT_FALSE(read->resumed_from);
  EXPECT_FALSE(read->checkpoint_time);
}

}  // namespace
}  // namespace reprise
