#include "rehearsal/outcome/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/checkpoint_files.h"
#include "agent/testing/temporary_directory.h"

namespace reprise::rehearsal {
namespace {

using agent::testing_support::put_checkpoint;
using agent::testing_support::put_text;
using agent::testing_support::TemporaryDirectory;
using agent::testing_support::zip_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Weights : public ::testing::Test {
 protected:
  Weights() {
    for (const auto& volume : {one(), other()}) put_checkpoint(volume, "step-40", true);
  }
  std::filesystem::path one() const { return directory_.path() / "one"; }
  std::filesystem::path other() const { return directory_.path() / "other"; }
  std::vector<std::string> compared(const std::string& command = "") const {
    return compare_weights({.one = one(), .other = other(), .format = "Auto"}, command, directory_.path() / "out");
  }

  TemporaryDirectory directory_;
};

TEST_F(Weights, are_equal_where_all_files_of_the_newest_checkpoints_are) {
  EXPECT_THAT(compared(), IsEmpty());
  put_checkpoint(one(), "step-20", true);
  EXPECT_THAT(compared(), IsEmpty()) << "an older one";
  put_text(one() / "step-40/model/w.bin", "1");
  put_text(other() / "step-40/model/w.bin", "2");
  EXPECT_THAT(compared(), ElementsAre("model/w.bin differs"));
  put_text(one() / "step-40/model/w.bin", "2");
  EXPECT_THAT(compared(), IsEmpty());
  put_text(other() / "step-40/optimizer.bin", "2");
  EXPECT_THAT(compared(), ElementsAre(HasSubstr("optimizer.bin")));
}

TEST_F(Weights, of_checkpoints_that_are_single_files_are_compared_as_well) {
  const std::string name = "epoch=0-step=50.ckpt";
  put_text(one() / name, zip_of({{"archive/data.pkl", "1"}}));
  put_text(other() / name, zip_of({{"archive/data.pkl", "2"}}));
  EXPECT_THAT(compared(), ElementsAre(name + " differs"));
  put_text(other() / name, zip_of({{"archive/data.pkl", "1"}}));
  EXPECT_THAT(compared(), IsEmpty());
}

TEST_F(Weights, of_different_steps_or_of_none_are_not_equal) {
  put_checkpoint(one(), "step-50", true);
  EXPECT_THAT(compared(), ElementsAre(HasSubstr("step 50 with interruptions, and of step 40 without")));
  std::filesystem::remove_all(one());
  EXPECT_THAT(compared(), ElementsAre(HasSubstr("no complete checkpoint")));
}

TEST_F(Weights, may_be_compared_by_a_command_that_is_given_both) {
  put_text(one() / "step-40/log", "yesterday");
  EXPECT_THAT(compared("test -d \"$1\" -a -d \"$2\" || exit 5; true"), IsEmpty());
  EXPECT_THAT(compared("diff -r"), ElementsAre(HasSubstr("ended with 1")));
}

}  // namespace
}  // namespace reprise::rehearsal
