// Stand-ins for the newest checkpoint under a name without a step: resumed from where they are further, and put aside
// where they are torn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "agent/core/restore/restore.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing_support::lightning_file;
using testing_support::plain_file;
using testing_support::put_text;
using testing_support::torch_file;

class StandInsTest : public testing_support::LayoutFormatTest {
 protected:
  StandInsTest() { began(); }
  void put(const std::string& name, const std::string& bytes, std::chrono::seconds ago = 0s) const {
    put_text(root() / name, bytes);
    fs::last_write_time(root() / name, fs::file_time_type::clock::now() + 60s - ago);
  }
};

TEST_F(StandInsTest, one_that_this_job_has_written_and_that_is_further_is_resumed_from) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 20s);
  put("run/last.ckpt", lightning_file(50));
  const auto found = restored();
  EXPECT_EQ(found.point.path, "run/last.ckpt");
  EXPECT_EQ(found.point.step, 50);
  EXPECT_THAT(found.notes, Contains(HasSubstr("run/last.ckpt counts")));
  EXPECT_TRUE(exists("run/epoch=0-step=40.ckpt"));
  EXPECT_TRUE(read_made(*volume_)->empty()) << "for this choice alone";
}

TEST_F(StandInsTest, one_of_the_same_step_or_older_is_not) {
  put("run/epoch=0-step=50.ckpt", torch_file(), 20s);
  put("run/last.ckpt", lightning_file(50));
  EXPECT_EQ(restored().point.path, "run/epoch=0-step=50.ckpt");
  ++self_.attempt;
  put("run/last.ckpt", lightning_file(60), 40s);
  EXPECT_EQ(restored().point.path, "run/epoch=0-step=50.ckpt") << "copied there before";
}

TEST_F(StandInsTest, one_from_before_the_job_is_not_resumed_from) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 30h);
  put("run/last.ckpt", lightning_file(50), 20h);
  EXPECT_EQ(restored().point.path, "run/epoch=0-step=40.ckpt");
}

TEST_F(StandInsTest, a_torn_one_is_put_aside_beside_a_whole_one) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 20s);
  put("run/last.ckpt", lightning_file(50).substr(0, 60));
  EXPECT_EQ(restored().point.path, "run/epoch=0-step=40.ckpt");
  EXPECT_FALSE(exists("run/last.ckpt"));
  EXPECT_TRUE(exists(".reprise/quarantine/run+last.ckpt.2"));
}

TEST_F(StandInsTest, one_of_another_program_stays_beside_a_whole_one) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 20s);
  put("run/last.ckpt", "in a layout of its own");
  put("run/last-v1.ckpt", torch_file());
  EXPECT_EQ(restored().point.path, "run/epoch=0-step=40.ckpt");
  EXPECT_TRUE(exists("run/last.ckpt"));
  EXPECT_TRUE(exists("run/last-v1.ckpt")) << "a whole archive that says no step";
}

TEST_F(StandInsTest, a_whole_one_stays_beside_a_torn_checkpoint) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 20s);
  put("run/epoch=1-step=50.ckpt", torch_file().substr(0, 40));
  put("run/last.ckpt", lightning_file(40), 20s);
  EXPECT_EQ(restored().point.path, "run/epoch=0-step=40.ckpt");
  EXPECT_FALSE(exists("run/epoch=1-step=50.ckpt"));
  EXPECT_TRUE(exists("run/last.ckpt"));
}

TEST_F(StandInsTest, where_all_numbered_ones_are_torn_a_whole_one_of_this_job_is_resumed_from) {
  put("run/epoch=1-step=50.ckpt", torch_file().substr(0, 40));
  put("run/last.ckpt", lightning_file(45));
  EXPECT_EQ(restored().point.path, "run/last.ckpt");
}

TEST_F(StandInsTest, one_that_a_start_from_scratch_has_renounced_where_nothing_moves_does_not_come_back) {
  calls_->rename_problem = EOPNOTSUPP;
  put("run/epoch=0-step=40.ckpt", torch_file(), 20s);
  put("run/last.ckpt", lightning_file(50));
  env_.resume = ResumePolicy::FromScratch;
  static_cast<void>(restored());
  env_.resume = ResumePolicy::Latest;
  ++self_.attempt;
  put("run/epoch=0-step=5.ckpt", torch_file().substr(0, 40));
  EXPECT_EQ(restored().point.path, "");
}

TEST_F(StandInsTest, one_in_an_unknown_layout_is_put_aside_only_when_it_is_cut_off) {
  put("checkpoint-10.pth.tar", plain_file(), 20s);
  put("checkpoint-20.pth.tar", plain_file().substr(0, 50));
  put("last.pth.tar", plain_file().substr(0, 50));
  put("latest.pth.tar", std::string(200, '\0'));
  put("checkpoint_last.pt", "some other layout");
  put("latest.pt", plain_file());
  static_cast<void>(restored());
  EXPECT_FALSE(exists("checkpoint-20.pth.tar"));
  EXPECT_FALSE(exists("last.pth.tar"));
  EXPECT_FALSE(exists("latest.pth.tar")) << "zeros";
  EXPECT_TRUE(exists("checkpoint_last.pt"));
  EXPECT_TRUE(exists("latest.pt"));
}

TEST_F(StandInsTest, one_that_is_found_damaged_a_moment_later_is_not_chosen_again) {
  put("run/epoch=0-step=40.ckpt", torch_file(), 20s);
  put("run/epoch=0-step=41.ckpt", torch_file().substr(0, 40));
  put("run/last.ckpt", lightning_file(50));
  calls_->on_call = [this] {
    if (!exists("run/epoch=0-step=41.ckpt") && exists("run/last.ckpt")) put_text(root() / "run/last.ckpt", "");
  };
  EXPECT_EQ(restored().point.path, "run/epoch=0-step=40.ckpt");
}

}  // namespace
}  // namespace reprise::agent
