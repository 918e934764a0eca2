// GPUs that are kept ready: for whom they make room, and until when.
#include "controllers/gpupool/warm/warm_gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/gpupool/testing/warm_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using controllers::testing::make_node_pool;
using controllers::testing::MakeNodeClaim;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Kept;

// A pool that may rent four GPUs and has two nodes.
class Crowded : public Kept {
 public:
  Crowded() : Kept(2, [](auto& pool) { pool.spec.capacity.front().max_gpus = 4; }) {
    seen_.node_pools["t4-spot"] = make_node_pool("t4-spot");
    for (const char* name : {"a", "b"})
      seen_.node_claims.push_back(MakeNodeClaim(name, name)
                                      .with([](api::NodeClaim& claim) {
                                        claim.meta.labels["karpenter.sh/nodepool"] = "t4-spot";
                                        claim.capacity = {{"nvidia.com/gpu", "1"}};
                                      })
                                      .get());
    pass();
  }
  void wait(std::string gpus, auto&& change) {
    auto pod = std::make_shared<kube::Pod>();
    pod->meta.name = "job-1-0";
    pod->meta.creation_timestamp = kStart;
    pod->phase = kube::PodPhase::Pending;
    pod->resource_requests = {{"nvidia.com/gpu", std::move(gpus)}};
    pod->node_selector = {{"reprise.dev/pool", "t4"}};
    change(*pod);
    seen_.waiting.push_back(std::move(pod));
  }
  void wait(std::string gpus) {
    wait(std::move(gpus), [](auto&) {});
  }
  std::vector<std::string> pass_after(seconds time) {
    seen_.now = kStart + time;
    return pass();
  }
};

TEST(WarmPods, are_not_made_while_somebody_else_waits_for_a_machine) {
  Crowded pool;
  pool.gone("t4-warm-0");
  pool.wait("1");
  EXPECT_THAT(pool.pass_after(seconds(59)), IsEmpty());
  EXPECT_EQ(pool.plan_.wake_at, kStart + seconds(60));
  pool.seen_.waiting.clear();
  EXPECT_THAT(pool.pass_after(seconds(59)), ElementsAre("+t4-warm-0"));
}

// A machine with four GPUs: what is kept ready on two others counts against the pool's four.
TEST(WarmPods, go_where_the_limits_leave_no_room_for_a_pod_that_waits) {
  Crowded pool;
  pool.wait("4");
  EXPECT_THAT(pool.pass_after(seconds(59)), IsEmpty()) << "they may be preempted yet";
  EXPECT_THAT(pool.pass_after(seconds(60)), ElementsAre("-t4-warm-1", "-t4-warm-0"));
}

TEST(WarmPods, stay_where_there_is_room_for_what_waits) {
  Crowded pool;
  pool.wait("1");
  EXPECT_THAT(pool.pass_after(seconds(60)), IsEmpty());
}

// g4dn has machines with one GPU and with four: for two GPUs Karpenter would rent four, and may rent two.
TEST(WarmPods, go_where_the_limits_leave_no_room_for_the_machine_that_a_pod_needs) {
  Crowded pool;
  pool.wait("2");
  EXPECT_THAT(pool.pass_after(seconds(60)), ElementsAre("-t4-warm-1", "-t4-warm-0"));
}

// The pod's machine starts for minutes; the limits count it already.
TEST(WarmPods, stay_while_the_machine_of_what_waits_is_on_its_way) {
  Crowded pool;
  pool.seen_.node_claims.push_back(MakeNodeClaim("c", "")
                                       .with([](api::NodeClaim& claim) {
                                         claim.meta.labels["karpenter.sh/nodepool"] = "t4-spot";
                                         claim.capacity = {{"nvidia.com/gpu", "2"}};
                                         claim.conditions = {{"Launched", "True", "", ""}};
                                       })
                                       .get());
  pool.wait("2");
  EXPECT_THAT(pool.pass_after(seconds(180)), IsEmpty());
}

// Somebody else's GPUs are free after an hour, and what is kept ready is all that keeps the pod waiting.
TEST(WarmPods, go_also_for_a_pod_that_has_waited_for_hours) {
  Crowded pool;
  pool.wait("4");
  bool went = false;
  for (int minute = 31; minute < 24 * 60 && !went; ++minute) went = !pool.pass_after(seconds(60 * minute)).empty();
  EXPECT_TRUE(went);
}

// The pod waits for a zone that there is not, say.
TEST(WarmPods, are_made_beside_a_pod_that_has_waited_for_hours_though_there_is_room_for_all) {
  Crowded pool;
  pool.change_pool([](auto& changed) { changed.spec.capacity.front().max_gpus = 16; });
  pool.wait("4");
  for (int hour = 1; hour < 40; ++hour) {
    pool.gone("t4-warm-0");
    EXPECT_THAT(pool.pass_after(seconds(3600 * hour)), ElementsAre("+t4-warm-0")) << hour;
  }
}

// Kueue held it back for an hour.
TEST(WarmPods, go_for_a_pod_that_was_held_back_before_it_waited) {
  Crowded pool;
  pool.wait("4", [](kube::Pod& pod) { pod.conditions = {{"PodScheduled", "False", "SchedulingGated", ""}}; });
  EXPECT_THAT(pool.pass_after(seconds(3600)), IsEmpty());
  pool.seen_.waiting.clear();
  pool.wait("4", [](kube::Pod& pod) { pod.conditions = {{"PodScheduled", "False", "Unschedulable", ""}}; });
  bool went = false;
  for (int second = 3600; second < 7200 && !went; second += 60) went = !pool.pass_after(seconds(second)).empty();
  EXPECT_TRUE(went);
}

TEST(WarmPods, come_back_when_half_an_hour_without_them_has_served_nobody) {
  Crowded pool;
  pool.wait("4");
  pool.pass_after(seconds(60));
  pool.gone("t4-warm-0");
  pool.gone("t4-warm-1");
  EXPECT_THAT(pool.pass_after(seconds(1799)), IsEmpty());
  EXPECT_EQ(pool.plan_.wake_at, kStart + seconds(1800));
  EXPECT_THAT(pool.pass_after(seconds(1800)), ElementsAre("+t4-warm-0", "+t4-warm-1"));
}

// A pod back on its node would begin the idle time anew.
TEST(WarmPods, do_not_come_back_before_karpenter_has_given_back_the_nodes_that_they_were_on) {
  Crowded pool;
  pool.change_pool([](auto& changed) { changed.spec.scale_down_idle_seconds = 3600; });
  pool.wait("4");
  EXPECT_THAT(pool.pass_after(seconds(60)), ElementsAre("-t4-warm-1", "-t4-warm-0"));
  pool.gone("t4-warm-0");
  pool.gone("t4-warm-1");
  for (int minute = 2; minute <= 65; ++minute) EXPECT_THAT(pool.pass_after(seconds(60 * minute)), IsEmpty()) << minute;
}

TEST(WarmPods, stay_whatever_waits_for_a_capacity_that_the_pool_does_not_rent) {
  Crowded pool;
  pool.wait("1", [](kube::Pod& pod) { pod.node_selector["karpenter.sh/capacity-type"] = "reserved"; });
  EXPECT_THAT(pool.pass_after(seconds(60)), IsEmpty());
}

TEST(WarmPods, do_not_make_room_for_each_other) {
  Crowded pool;
  pool.seen_.waiting = pool.seen_.warm_pods;
  EXPECT_THAT(pool.pass_after(seconds(60)), IsEmpty());
}

}  // namespace
}  // namespace reprise::controllers::gpupool
