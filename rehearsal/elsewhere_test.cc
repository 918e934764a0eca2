#include "rehearsal/elsewhere.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/temporary_directory.h"

namespace reprise::rehearsal {
namespace {

using agent::testing_support::put_text;
using agent::testing_support::TemporaryDirectory;
using ::testing::ElementsAre;
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

TEST(Elsewhere, on_the_volume_is_what_is_no_checkpoint_and_why) {
  const TemporaryDirectory directory;
  EXPECT_THAT(not_laid_out(directory.path()), IsEmpty());
  put_text(directory.path() / ".reprise" / "x", "x");
  put_text(directory.path() / "step-7" / "state", "x");
  EXPECT_THAT(not_laid_out(directory.path()), IsEmpty());
  put_text(directory.path() / "step-7.pt", "x");
  put_text(directory.path() / "last" / "state", "x");
  put_text(directory.path() / "run1" / "step-40" / "state", "x");
  EXPECT_THAT(not_laid_out(directory.path()),
              ElementsAre("last has no step in its name", "run1/step-40 is not at the top", "step-7.pt is a file"));
  EXPECT_THAT(not_laid_out(directory.path() / "none"), IsEmpty());
}

TEST(Elsewhere, links_that_lead_nowhere_stop_no_look) {
  const TemporaryDirectory directory;
  put_text(directory.path() / "last" / "state", "x");
  std::filesystem::create_symlink("loop", directory.path() / "loop");
  std::filesystem::create_symlink("loop", directory.path() / "last" / "loop");
  std::filesystem::create_symlink("none", directory.path() / "last" / "step-7");
  EXPECT_THAT(not_laid_out(directory.path()), ElementsAre("last has no step in its name", "loop is a file"));
  EXPECT_THAT(checkpoints_elsewhere({directory.path()}, {}, std::filesystem::file_time_type::min()), IsEmpty());
}

}  // namespace
}  // namespace reprise::rehearsal
