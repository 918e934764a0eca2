#include "rehearsal/outcome/elsewhere.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/temporary_directory.h"

namespace reprise::rehearsal {
namespace {

using agent::testing_support::put_text;
using agent::testing_support::TemporaryDirectory;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Elsewhere, is_every_directory_that_the_trainer_may_have_written_to) {
  const TemporaryDirectory directory;
  const auto here = directory.path() / "here", there = directory.path() / "there", own = here / "run";
  put_text(here / "model.pt", "x");
  put_text(there / "step-41" / "state", "x");
  put_text(own / "step-7" / "state", "x");
  const auto long_ago = std::filesystem::file_time_type::min();
  EXPECT_THAT(checkpoints_elsewhere({here, there, here, {}}, own, long_ago),
              ElementsAre((here / "model.pt").string(), (there / "step-41").string()));
  EXPECT_THAT(checkpoints_elsewhere({directory.path() / "none"}, own, long_ago), IsEmpty());
}

TEST(Elsewhere, on_the_volume_is_what_is_not_complete_to_the_agent_and_why) {
  const TemporaryDirectory directory;
  EXPECT_THAT(not_laid_out(directory.path(), "Auto"), IsEmpty());
  put_text(directory.path() / ".reprise" / "x", "x");
  EXPECT_THAT(not_laid_out(directory.path(), "Auto"), IsEmpty());
  put_text(directory.path() / "epoch_0_step_20" / "model" / "rank0.bin", "x");
  EXPECT_THAT(not_laid_out(directory.path(), "Auto"), ElementsAre(HasSubstr("epoch_0_step_20")));
  EXPECT_THAT(not_laid_out(directory.path() / "none", "Auto"), IsEmpty());
}

TEST(Elsewhere, marks_in_the_parts_of_a_step_are_told_with_the_step_that_lacks_one) {
  const TemporaryDirectory directory;
  for (const std::string rank : {"rank0", "rank1"}) put_text(directory.path() / "step_20" / rank / "_COMPLETE", "");
  EXPECT_THAT(not_laid_out(directory.path(), "Auto"), Contains(HasSubstr("step_20")));
}

TEST(Elsewhere, without_anything_like_a_checkpoint_the_entries_of_the_volume_are_named) {
  const TemporaryDirectory directory;
  put_text(directory.path() / "last" / "state", "x");
  put_text(directory.path() / "notes.txt", "x");
  EXPECT_THAT(not_laid_out(directory.path(), "Auto"),
              ElementsAre("last has no step in its name", "notes.txt is a file"));
}

TEST(Elsewhere, links_that_lead_nowhere_stop_no_look) {
  const TemporaryDirectory directory;
  put_text(directory.path() / "last" / "state", "x");
  std::filesystem::create_symlink("loop", directory.path() / "loop");
  std::filesystem::create_symlink("loop", directory.path() / "last" / "loop");
  std::filesystem::create_symlink("none", directory.path() / "last" / "step-7");
  EXPECT_THAT(not_laid_out(directory.path(), "Auto"), ElementsAre(HasSubstr("last/step-7 (NotRecognised: a link")));
  EXPECT_THAT(checkpoints_elsewhere({directory.path()}, {}, std::filesystem::file_time_type::min()), IsEmpty());
}

}  // namespace
}  // namespace reprise::rehearsal
