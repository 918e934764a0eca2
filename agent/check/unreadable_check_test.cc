// Texts for people about checkpoints that cannot be read, or that hold nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/check/find_checkpoints.h"
#include "agent/testing/checkpoint_files.h"
#include "agent/testing/faulty_files.h"
#include "agent/testing/temporary_directory.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing_support::put_text;

class UnreadableCheck : public testing::Test {
 protected:
  [[nodiscard]] fs::path root() const { return directory_.path(); }
  [[nodiscard]] runtime::Result<FoundCheckpoints> found(std::string_view format, Verify verify) const {
    const testing_support::FaultyFiles files(faults_, std::make_shared<VolumeCalls>(), root());
    return find_checkpoints(files, layouts_named(format).value(), root(), verify);
  }
  [[nodiscard]] std::vector<std::string> said(std::string_view format, Verify verify = Verify::Structure) const {
    std::vector<std::string> lines;
    const auto checked = found(format, verify);
    EXPECT_TRUE(checked) << checked.error().message;
    for (const auto& each : checked.value_or(FoundCheckpoints{}).rows)
      lines.push_back(each.path + " " + std::string(name(each.verdict)) +
                      (each.reason.empty() ? "" : ": " + each.reason));
    return lines;
  }
  testing_support::TemporaryDirectory directory_;
  std::shared_ptr<testing_support::Faults> faults_ = std::make_shared<testing_support::Faults>();
};

TEST_F(UnreadableCheck, each_checkpoint_has_its_row_and_the_unreadable_one_says_why) {
  for (const int step : {2, 4, 6}) testing_support::put_listed(root() / ("step-" + std::to_string(step)));
  faults_->of_bytes(root() / "step-4/model.npz");
  faults_->of_bytes(root() / "step-6/SHA256SUMS");
  for (const Verify verify : {Verify::Structure, Verify::Full})
    EXPECT_THAT(said("Manifest", verify),
                ElementsAre("step-6 Corrupt: SHA256SUMS: cannot be read: Input/output error",
                            "step-4 Corrupt: model.npz: cannot be read: Input/output error", "step-2 Complete"));
}

TEST_F(UnreadableCheck, raw_bytes_whose_sum_is_right_are_whole_whatever_they_are_called) {
  put_text(root() / "step-2/weights.bin", "raw");
  put_text(root() / "step-2/SHA256SUMS", testing_support::sum_of("raw") + "  weights.bin\n");
  EXPECT_THAT(said("Manifest"), ElementsAre("step-2 Complete"));
  put_text(root() / "step-2/weights.bin", "row");
  EXPECT_EQ(said("Manifest").front().substr(0, 14), "step-2 Corrupt");
  put_text(root() / "step-2/weights.bin", testing_support::torch_file().substr(0, 40));
  EXPECT_EQ(said("Manifest").front().substr(0, 14), "step-2 Corrupt");
}

TEST_F(UnreadableCheck, a_read_in_full_finds_what_no_layout_opens) {
  for (const char* name : {"step-2", "step-4"}) {
    put_text(root() / name / "weights", "weights");
    put_text(root() / name / "_COMPLETE", "");
  }
  faults_->of_bytes(root() / "step-4/weights");
  EXPECT_THAT(said("Marker", Verify::Full),
              ElementsAre("step-4 Corrupt: weights: cannot be read: Input/output error", "step-2 Complete"));
}

TEST_F(UnreadableCheck, a_directory_that_cannot_be_listed_or_looked_at_has_a_row_by_its_name) {
  for (const int step : {10, 20, 30})
    testing_support::put_hugging_face(root() / ("checkpoint-" + std::to_string(step)), step);
  faults_->of_bytes(root() / "checkpoint-20");
  faults_->of_all(root() / "checkpoint-30");
  EXPECT_THAT(said("HuggingFace"),
              ElementsAre("checkpoint-30 Corrupt: checkpoint-30: cannot be read: Input/output error",
                          "checkpoint-20 Corrupt: checkpoint-20: cannot be read: Input/output error",
                          "checkpoint-10 Complete"));
}

TEST_F(UnreadableCheck, a_directory_that_may_hold_some_is_named) {
  testing_support::put_hugging_face(root() / "a/checkpoint-10", 10);
  fs::create_directories(root() / "b");
  faults_->of_bytes(root() / "b");
  EXPECT_THAT(said("Auto"), ElementsAre("a/checkpoint-10 Complete"));
  EXPECT_EQ(found("Auto", Verify::Structure)->unsearched,
            "not looked into for checkpoints: b (the storage gives an error for it)");
}

TEST_F(UnreadableCheck, a_root_that_cannot_be_read_is_an_error) {
  faults_->of_bytes(root());
  EXPECT_FALSE(found("Auto", Verify::Structure));
}

TEST_F(UnreadableCheck, a_mark_over_emptied_weights_is_not_complete) {
  for (const char* name : {"step-2", "step-4"}) {
    put_text(root() / name / "weights", std::string(name) == "step-2" ? "weights" : "");
    put_text(root() / name / "_COMPLETE", "");
  }
  fs::last_write_time(root() / "step-2/_COMPLETE", fs::file_time_type::clock::now() - std::chrono::minutes(1));
  EXPECT_THAT(said("Marker"),
              ElementsAre("step-4 Corrupt: weights: is empty, and is not in step-2", "step-2 Complete"));
}

}  // namespace
}  // namespace reprise::agent
