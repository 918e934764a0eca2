#include "simulator/rehearsal/elsewhere.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/temporary_directory.h"

namespace reprise::simulator {
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

}  // namespace
}  // namespace reprise::simulator
