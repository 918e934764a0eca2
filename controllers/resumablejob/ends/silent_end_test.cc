// Complete by its exit codes, and not in silence.
#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;

std::string record(const std::string& more) {
  return R"({"attempt":1,"index":0,"exitCode":0,"finished":true,"asked":false,"saved":false,)" + more + "}";
}

// "STATE, condition Complete, warning Event"
std::string ends_with(const std::string& more) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 0, record(more));
  world.settle();
  std::string warned;
  for (const Announcement& each : world.announced_)
    if (each.type == EventType::Warning) warned = each.reason;
  return world.state("PodsReady") + " " + world.state("Complete") + " " + warned;
}

TEST(SilentEnd, a_training_that_saved_nothing_beyond_what_was_there_says_so) {
  EXPECT_EQ(ends_with(R"("step":200,"durable":true,"path":"step-200","resumedFromStep":200)"),
            "False/NothingTrained True/NothingTrained NothingTrained");
  EXPECT_EQ(ends_with(R"("step":250,"durable":true,"path":"step-250","resumedFromStep":200)"),
            "False/Complete True/Completed ");
  EXPECT_EQ(
      ends_with(R"("step":200,"durable":true,"path":"step-200","resumedFromStep":200,"toldStep":250,"totalSteps":250)"),
      "False/Complete True/Completed ")
      << "it says that it went on";
}

TEST(SilentEnd, a_training_that_showed_neither_a_step_nor_a_checkpoint_says_so) {
  EXPECT_EQ(ends_with(R"("durable":false)"), "False/NothingTrained True/NothingTrained NothingTrained");
  EXPECT_EQ(ends_with(R"("durable":false,"toldStep":200)"), "False/Complete True/Completed ");
  EXPECT_EQ(ends_with(R"("step":200,"durable":true,"path":"step-200")"), "False/Complete True/Completed ");
}

TEST(SilentEnd, a_training_that_stopped_far_from_its_last_step_says_so) {
  EXPECT_EQ(ends_with(R"("step":50,"durable":true,"path":"step-50","toldStep":50,"totalSteps":200)"),
            "False/EndedShort True/EndedShort EndedShort");
  for (const char* told : {R"("toldStep":199,"totalSteps":200)", R"("toldStep":195,"totalSteps":200)",
                           R"("toldStep":200,"totalSteps":200)", R"("toldStep":0,"totalSteps":1)"})
    EXPECT_EQ(ends_with(told), "False/Complete True/Completed ") << told;
}

TEST(SilentEnd, an_attempt_that_had_nothing_left_behind_one_that_trained_is_the_end) {
  JobWorld world = running_job();
  world.job_.status.trained_seconds = 100;
  world.exit("fit-1-0", 0, record(R"("step":200,"durable":true,"path":"step-200","resumedFromStep":200)"));
  world.settle();
  EXPECT_EQ(world.state("Complete"), "True/Completed");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
