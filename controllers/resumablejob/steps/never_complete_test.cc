// Ranks with a volume each on which nothing is complete start anew, and not in silence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/testing/job_world.h"
#include "protocol/common_checkpoint.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The notes of that Event, where each rank has listed nothing and says that of what lies there.
std::vector<std::string> told_of(const std::vector<std::string>& unfit) {
  JobWorld world = running_job(static_cast<std::int32_t>(unfit.size()), [](api::ResumableJob& job) {
    job.spec.checkpoint.volume.access = api::VolumeAccess::PerIndex;
  });
  for (std::int32_t index = 0; index < static_cast<std::int32_t>(unfit.size()); ++index) {
    kube::ContainerStatus status;
    status.name = protocol::kListContainer;
    status.init = true;
    status.state = kube::ContainerStateKind::Terminated;
    status.exit_code = 0;
    status.message = protocol::encode_listed_checkpoints(
        {.attempt = 1, .index = index, .unfit = unfit[static_cast<std::size_t>(index)]});
    world.pods_.at("fit-1-" + std::to_string(index)).container_statuses.push_back(std::move(status));
  }
  world.announced_.clear();
  world.settle();
  std::vector<std::string> notes;
  for (const Announcement& each : world.announced_)
    if (each.reason == "NoCommonCheckpoint") notes.emplace_back(each.note);
  return notes;
}

TEST(never_complete, checkpoints_on_the_volumes_of_all_ranks_are_named_once) {
  EXPECT_THAT(told_of({"", ""}), IsEmpty()) << "a first start";
  EXPECT_THAT(told_of({"", "checkpoint-20 lacks x", "checkpoint-20 lacks y"}),
              ElementsAre(AllOf(HasSubstr("on that of rank 1 checkpoint-20 lacks x"), HasSubstr("; 1 more volumes"))));
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
