// lastInterruption: since when its signal stood, and when what ran had really ended.
#include "controllers/resumablejob/ends/ended_time.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::kStart;
using controllers::testing::running_job;
using std::chrono::seconds;

// Two ranks of which one loses its node at kStart; noticed three seconds later.
JobWorld interrupted() {
  JobWorld world = running_job(2);
  world.delete_node_claim("node-of-fit-1-0");
  world.now_ += seconds(3);
  world.settle();
  return world;
}

// The pod ends at `at`, and its object goes.
void stop_one(JobWorld& world, const std::string& pod, kube::Time at) {
  world.now_ = at;
  world.exit(pod, 143);
  world.force_remove(pod);
  world.settle();
}

TEST(EndedTime, an_interruption_tells_since_when_its_signal_stood) {
  const JobWorld world = interrupted();
  EXPECT_EQ(world.status().last_interruption->signal_time, kStart);
  EXPECT_EQ(world.status().last_interruption->time, kStart + seconds(3));
}

TEST(EndedTime, an_interruption_that_a_failure_turned_into_tells_it_too) {
  JobWorld world = running_job(2);
  world.exit("fit-1-1", 1);
  world.settle();
  world.delete_node_claim("node-of-fit-1-0");
  world.now_ += seconds(3);
  world.stop_deleted(143);
  world.settle();
  ASSERT_TRUE(world.status().last_interruption);
  EXPECT_EQ(world.status().last_interruption->signal_time, kStart);
}

struct Case {
  const char* what;
  std::function<void(JobWorld&)> end;
  std::optional<kube::Time> ended;
};

TEST(EndedTime, is_that_of_the_last_container_and_known_of_all_or_not_at_all) {
  const Case table[] = {
      {"both are seen to end",
       [](JobWorld& world) {
         stop_one(world, "fit-1-1", kStart + seconds(20));
         stop_one(world, "fit-1-0", kStart + seconds(50));
       },
       kStart + seconds(50)},
      {"both have ended by the time anybody looks",
       [](JobWorld& world) {
         world.now_ = kStart + seconds(60);
         world.exit("fit-1-0", 143);
         stop_one(world, "fit-1-1", kStart + seconds(50));
       },
       kStart + seconds(60)},
      {"the operator is another one by the time the second ends",
       [](JobWorld& world) {
         stop_one(world, "fit-1-1", kStart + seconds(50));
         world.forget_deleted_pods();
         stop_one(world, "fit-1-0", kStart + seconds(40));
       },
       kStart + seconds(50)},
      {"the machine of one went with it",
       [](JobWorld& world) {
         stop_one(world, "fit-1-1", kStart + seconds(20));
         world.force_remove("fit-1-0");
         world.remove_node_claim("node-of-fit-1-0");
         world.settle();
       },
       std::nullopt},
      {"a kubelet found the container gone",
       [](JobWorld& world) {
         stop_one(world, "fit-1-1", kStart + seconds(20));
         world.exit("fit-1-0", 255);
         world.pods_.at("fit-1-0").container_statuses[0].reason = "Unknown";
         world.settle();
       },
       std::nullopt},
      {"a kubelet does not say when",
       [](JobWorld& world) {
         stop_one(world, "fit-1-1", kStart + seconds(20));
         world.exit("fit-1-0", 143);
         world.pods_.at("fit-1-0").container_statuses[0].finished_at = {};
         world.settle();
       },
       std::nullopt},
  };
  for (const Case& row : table) {
    JobWorld world = interrupted();
    row.end(world);
    ASSERT_TRUE(world.status().last_end) << row.what;
    EXPECT_EQ(world.status().last_interruption->ended_time, row.ended) << row.what;
  }
}

TEST(EndedTime, a_sidecar_that_ends_last_is_the_last) {
  JobWorld world = running_job(1);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.exit("fit-1-0", 143);
  kube::Pod& pod = world.pods_.at("fit-1-0");
  kube::ContainerStatus sidecar = pod.container_statuses[0];
  sidecar.name = "proxy";
  sidecar.init = sidecar.sidecar = true;
  sidecar.finished_at = kStart + seconds(9);
  pod.container_statuses.insert(0, sidecar);
  world.settle();
  EXPECT_EQ(world.status().last_interruption->ended_time, kStart + seconds(9));
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
