// A start from scratch leaves nothing of this job's own from which a script that looks for itself would go on, and says
// what it leaves.
#include "agent/core/restore/renounced.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/core/restore/restore.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing_support::plain_file;
using testing_support::put_text;
using testing_support::torch_file;

class RenouncedTest : public testing_support::LayoutFormatTest {
 protected:
  RenouncedTest() { env_.resume = ResumePolicy::FromScratch; }
  void put(const std::string& name, const std::string& bytes, std::chrono::hours ago = 0h) const {
    put_text(root() / name, bytes);
    fs::last_write_time(root() / name, fs::file_time_type::clock::now() + 60s - ago);
  }
  void put_shards(const std::string& directory) const {
    put(directory + "/__0_0.distcp", torch_file());
    put(directory + "/.metadata", testing_support::dcp_metadata({{"__0_0.distcp", torch_file().size()}}));
  }
};

TEST_F(RenouncedTest, a_directory_that_stands_for_the_newest_is_put_aside_with_it) {
  put_shards("step-100");
  put_shards("latest");
  put("run/step_100/_COMPLETE", "");
  put("run/last/_COMPLETE", "");
  put("run/tensorboard_latest/events", "of no checkpoint");
  const auto found = restored();
  EXPECT_FALSE(exists("latest"));
  EXPECT_FALSE(exists("run/last"));
  EXPECT_TRUE(exists(".reprise/quarantine/latest.2/.metadata"));
  EXPECT_TRUE(exists("run/tensorboard_latest/events"));
  EXPECT_THAT(found.notes, Contains(HasSubstr("old checkpoint latest was moved to .reprise/quarantine")));
}

TEST_F(RenouncedTest, what_lies_alone_and_is_this_job_s_own_is_put_aside_and_is_not_called_torn) {
  began();
  for (const char* name : {"checkpoint_last.pt", "ckpt.pt", "sub/last.pth.tar"}) put(name, plain_file());
  put_shards("checkpoint");
  put("step_10/model.pt", torch_file());
  const auto found = restored();
  for (const char* name : {"checkpoint_last.pt", "ckpt.pt", "sub/last.pth.tar", "checkpoint", "step_10"})
    EXPECT_FALSE(exists(name)) << name;
  EXPECT_TRUE(exists(".reprise/quarantine/ckpt.pt.2")) << "which no agent empties";
  EXPECT_THAT(found.notes, Contains(HasSubstr("old checkpoint ckpt.pt")));
  EXPECT_THAT(found.notes, Not(Contains(HasSubstr("torn checkpoint"))));
}

TEST_F(RenouncedTest, data_and_models_stay_also_where_the_job_has_written_them) {
  began();
  for (const char* name : {"train.bin", "model.safetensors", "data/x.npz"}) put(name, "bytes");
  EXPECT_THAT(restored().notes, Contains(HasSubstr("2 more were left in place: by its name it may be data")));
  for (const char* name : {"train.bin", "model.safetensors", "data/x.npz"}) EXPECT_TRUE(exists(name)) << name;
}

TEST_F(RenouncedTest, what_nothing_shows_to_be_this_job_s_stays_and_is_named) {
  began();
  put("ckpt.pt", plain_file(), 20h);
  const auto found = restored();
  EXPECT_TRUE(exists("ckpt.pt"));
  EXPECT_THAT(found.notes, Contains(HasSubstr("ckpt.pt was left in place: no attempt of this job")));
}

TEST_F(RenouncedTest, only_a_start_from_scratch_renounces_it) {
  began();
  env_.resume = ResumePolicy::Latest;
  put("ckpt.pt", plain_file());
  put_shards("checkpoint");
  static_cast<void>(restored());
  EXPECT_TRUE(exists("ckpt.pt"));
  EXPECT_TRUE(exists("checkpoint"));
}

TEST_F(RenouncedTest, what_is_whole_in_an_unknown_layout_is_not_called_torn) {
  put("checkpoint-3.pth.tar", plain_file());
  put("last.pth.tar", plain_file());
  const auto found = restored();
  EXPECT_FALSE(exists("last.pth.tar"));
  EXPECT_THAT(found.notes, Contains(HasSubstr("old checkpoint last.pth.tar")));
}

}  // namespace
}  // namespace reprise::agent
