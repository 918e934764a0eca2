// The part of a save whose name a trainer is given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/restore/restore.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

using testing_support::plain_file;
using testing_support::put_text;

class MainPart : public testing_support::LayoutFormatTest {
 protected:
  // In that order, each save a moment after the one before.
  void save_all(const std::vector<std::string>& names) const {
    auto time = std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1);
    std::int64_t order = 0;
    for (const std::string& name : names) {
      ASSERT_TRUE(write_made(*volume_, {.order = ++order, .name = name, .job_uid = "job", .attempt = 1}));
      put_text(root() / name, plain_file());
      std::filesystem::last_write_time(root() / name, time += std::chrono::milliseconds(10));
    }
  }
};

TEST_F(MainPart, is_the_model_s_and_no_optimizer_s) {
  use("Plain");
  save_all({"checkpoint-10.model.pt", "checkpoint-10.opt.pt", "checkpoint-20.model.pt", "checkpoint-20.opt.pt"});
  EXPECT_EQ(restored().point.path, "checkpoint-20.model.pt");
}

TEST_F(MainPart, is_that_of_the_lowest_rank) {
  for (const char* rank : {"rank0", "rank1", "rank2", "rank10"})
    for (const char* step : {"step_10", "step_20"}) {
      put_text(root() / rank / step / "state.pt", plain_file());
      put_text(root() / rank / step / "_COMPLETE", "");
    }
  EXPECT_EQ(restored().point.path, "rank0/step_20");
}

TEST_F(MainPart, of_a_save_that_another_job_has_made_is_told_by_names) {
  use("Plain");
  for (const char* name : {"epoch.001.pt", "epoch.001.opt.pt"}) put_text(root() / name, plain_file());
  EXPECT_EQ(restored().point.path, "epoch.001.pt");
  for (const char* shard : {"3", "1", "0", "2"})
    put_text(root() / ("epoch.002-shard" + std::string(shard) + ".pt"), plain_file());
  ++self_.attempt;
  EXPECT_EQ(restored().point.path, "epoch.002-shard0.pt");
  put_text(root() / "epoch.003-lr1.pt", plain_file());
  put_text(root() / "best/epoch.003.pt", plain_file());
  ++self_.attempt;
  EXPECT_THAT(restored().point.path, testing::EndsWith("epoch.003-lr1.pt")) << "another place";
}

TEST_F(MainPart, of_a_save_in_one_piece_is_itself) {
  save_all({"a/checkpoint-20.pt", "checkpoint-20.pt"});
  EXPECT_EQ(restored().point.path, "checkpoint-20.pt");
}

}  // namespace
}  // namespace reprise::agent
