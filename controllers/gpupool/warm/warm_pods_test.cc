// GPUs that are kept ready: which pods hold them, and what becomes of these.
#include "controllers/gpupool/warm/warm_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/testing/warm_pool.h"
#include "controllers/gpupool/warm/warm_pod.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using controllers::testing::MakeNode;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Kept;
using testing::kSettings;
using ::testing::Not;
using ::testing::SizeIs;

TEST(WarmPods, are_one_for_each_gpu_and_then_nothing_is_written) {
  Kept kept(2);
  EXPECT_THAT(kept.pass(), ElementsAre("+t4-warm-0", "+t4-warm-1"));
  EXPECT_THAT(kept.pass(), IsEmpty());
}

TEST(WarmPods, are_none_of_a_pool_that_keeps_nothing_ready) {
  EXPECT_THAT(Kept(0).pass(), IsEmpty());
}

TEST(WarmPods, are_replaced_when_their_place_was_taken_and_not_before_it_is_free) {
  Kept kept(2);
  kept.pass();
  kept.change("t4-warm-0", [](kube::Pod& pod) { pod.meta.deletion_timestamp = kStart; });
  EXPECT_THAT(kept.pass(), IsEmpty());
  EXPECT_EQ(kept.plan_.wake_at, kStart + seconds(60));
  kept.gone("t4-warm-0");
  EXPECT_THAT(kept.pass(), ElementsAre("+t4-warm-0"));
}

TEST(WarmPods, do_not_wait_for_one_on_a_node_that_has_fallen_silent) {
  Kept kept(1);
  kept.pass();
  kept.change("t4-warm-0", [](kube::Pod& pod) { pod.meta.deletion_timestamp = kStart; });
  kept.seen_.now = kStart + seconds(60);
  EXPECT_THAT(kept.pass(), ElementsAre("+t4-warm-1"));
}

TEST(WarmPods, that_a_node_turned_away_are_made_anew_after_a_minute) {
  Kept kept(1);
  kept.pass();
  kept.change("t4-warm-0", [](kube::Pod& pod) { pod.phase = kube::PodPhase::Failed; });
  EXPECT_THAT(kept.pass(), IsEmpty());
  EXPECT_EQ(kept.plan_.wake_at, kStart + seconds(60));
  kept.seen_.now = kStart + seconds(60);
  EXPECT_THAT(kept.pass(), ElementsAre("-t4-warm-0"));
  kept.gone("t4-warm-0");
  EXPECT_THAT(kept.pass(), ElementsAre("+t4-warm-0"));
}

TEST(WarmPods, that_are_too_many_go_and_first_those_without_a_node) {
  Kept kept(3);
  kept.pass();
  for (const char* name : {"t4-warm-1", "t4-warm-2"}) kept.change(name, [](kube::Pod& pod) { pod.node_name = "a"; });
  kept.change_pool([](auto& pool) { pool.spec.warm_gpus = 2; });
  EXPECT_THAT(kept.pass(), ElementsAre("-t4-warm-0"));
  kept.gone("t4-warm-0");
  kept.change_pool([](auto& pool) { pool.spec.warm_gpus = 0; });
  EXPECT_THAT(kept.pass(), ElementsAre("-t4-warm-2", "-t4-warm-1"));
}

TEST(WarmPods, that_were_made_of_something_else_are_made_anew) {
  Kept kept(1);
  kept.pass();
  kept.settings_.agent_image = "reprise:2";
  EXPECT_THAT(kept.pass(), ElementsAre("-t4-warm-0"));
  kept.gone("t4-warm-0");
  EXPECT_THAT(kept.pass(), ElementsAre("+t4-warm-0"));
  EXPECT_THAT(kept.pass(), IsEmpty());
}

// Such a pod is of an earlier pool of that name, or of a person.
TEST(WarmPods, that_are_somebody_elses_are_left_alone) {
  Kept kept(1);
  kept.pass();
  kept.change("t4-warm-0", [](kube::Pod& pod) { pod.meta.owner_references.front().uid = "another"; });
  EXPECT_THAT(kept.pass(), ElementsAre("+t4-warm-1"));
  EXPECT_EQ(kept.plan_.status.warm_gpus, 0);
}

TEST(WarmPods, wait_until_the_status_names_what_they_ask_for) {
  Kept kept(1, [](auto& pool) { pool.status.resource_name = ""; });
  EXPECT_THAT(kept.pass(), IsEmpty());
  kept.change_pool([&](auto& pool) { pool.status = kept.plan_.status; });
  EXPECT_THAT(kept.pass(), ElementsAre("+t4-warm-0"));
}

TEST(WarmPods, stay_as_they_are_while_the_spec_is_invalid) {
  Kept kept(1);
  kept.pass();
  kept.change_pool([](auto& pool) { pool.spec.warm_gpus = 17; });
  EXPECT_THAT(kept.pass(), IsEmpty());
  EXPECT_EQ(kept.said("Stalled"),
            "InvalidSpec: spec.warm.gpus: found 17, must be at most 16, which is what the pool may rent "
            "(spec.capacity[].maxGpus)");
}

TEST(WarmPods, are_not_all_made_in_one_pass_where_there_are_many) {
  Kept kept(120, [](auto& pool) { pool.spec.capacity.front().max_gpus = {}; });
  EXPECT_THAT(kept.pass(), SizeIs(50));
  EXPECT_THAT(kept.pass(), SizeIs(50));
  EXPECT_THAT(kept.pass(), SizeIs(20));
  EXPECT_THAT(kept.pass(), IsEmpty());
}

TEST(WarmPods, are_ready_when_they_run) {
  Kept kept(2);
  kept.pass();
  kept.change("t4-warm-1", [](kube::Pod& pod) { pod.phase = kube::PodPhase::Running; });
  kept.pass();
  EXPECT_EQ(kept.plan_.status.warm_gpus, 1);
}

TEST(WarmPods, hold_a_whole_gpu_at_the_lowest_priority_on_the_pools_nodes) {
  const auto pod = api::render_pod(build_warm_pod(*Kept(1).seen_.pool, kSettings));
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_THAT(*pod, AllOf(HasSubstr(R"("priorityClassName":"reprise-standby")"), HasSubstr(R"("nvidia.com/gpu":"1")"),
                          HasSubstr(R"("nodeSelector":{"reprise.dev/pool":"t4"})"),
                          HasSubstr(R"("command":["/reprise-agent","pause"])"), HasSubstr(R"("image":"reprise:1")"),
                          HasSubstr(R"("kind":"GpuPool")"), Not(HasSubstr("reprise.dev/gpu\""))));
}

TEST(WarmPods, ask_unit_by_unit_where_no_container_may_ask_for_more) {
  Kept kept(1, [](auto& pool) {
    pool.spec.sharing = {.mode = api::SharingMode::TimeSlicing, .replicas = 3};
    pool.status.resource_name = "nvidia.com/gpu.shared";
  });
  const auto pod = api::render_pod(build_warm_pod(*kept.seen_.pool, kSettings));
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_THAT(*pod, AllOf(HasSubstr(R"("name":"gpu-2")"), Not(HasSubstr(R"("name":"gpu-3")")),
                          HasSubstr(R"("nvidia.com/gpu.shared":"1")"), Not(HasSubstr("reprise.dev/gpu\""))));
}

TEST(WarmPods, are_refused_where_they_cannot_be_and_those_that_are_there_go) {
  struct Case {
    const char* name;
    std::function<void(Kept&)> spoil;
    std::string_view said;
  };
  const std::vector<Case> cases = {
      {"nodes that stay by themselves",
       [](Kept& kept) {
         kept.change_pool([](auto& pool) {
           pool.spec.existing_nodes.emplace();
           pool.spec.capacity.clear();
         });
       },
       "in a pool of existing nodes, which stay by themselves"},
      {"pods that ask by annotation",
       [](Kept& kept) {
         kept.change_pool([](auto& pool) {
           pool.spec.sharing.mode = api::SharingMode::External;
           pool.spec.sharing.external = api::ExternalSharing{.preset = api::ExternalPreset::KAI, .units_per_gpu = 2};
         });
       },
       "where pods ask for their part of a GPU by annotation"},
      {"no image", [](Kept& kept) { kept.settings_.agent_image.clear(); }, "start it with --agent-image"},
      {"pods in its own namespace are not seen", [](Kept& kept) { kept.settings_.is_own_namespace_watched = false; },
       "add it to --watch-namespaces"},
  };
  for (const Case& each : cases) {
    Kept kept(1);
    kept.pass();
    each.spoil(kept);
    EXPECT_THAT(kept.pass(), ElementsAre("-t4-warm-0")) << each.name;
    EXPECT_THAT(kept.said("Stalled"),
                AllOf(HasSubstr("NotSupported: spec.warm.gpus: found 1, must be 0"), HasSubstr(each.said)))
        << each.name;
  }
}

// The label marks the operator's own pods; anybody may label others.
TEST(WarmPods, are_none_that_somebody_has_labelled_so_in_his_namespace) {
  Kept kept(1);
  auto pod = std::make_shared<kube::Pod>();
  pod->meta.namespace_ = "vision";
  pod->meta.name = "a";
  pod->meta.labels = {{"reprise.dev/warm", "t4"}};
  pod->node_name = "a";
  pod->phase = kube::PodPhase::Running;
  pod->resource_requests = {{"nvidia.com/gpu", "1"}};
  kept.seen_.pods = {pod};
  kept.seen_.nodes = {MakeNode("a").with([](kube::Node& node) { node.allocatable = {{"nvidia.com/gpu", "1"}}; }).get()};
  kept.pass();
  EXPECT_EQ(kept.plan_.status.units.used, 1);
}

TEST(WarmPods, use_nothing_of_what_they_hold) {
  Kept kept(1);
  kept.pass();
  kept.change("t4-warm-0", [](kube::Pod& pod) {
    pod.node_name = "a";
    pod.phase = kube::PodPhase::Running;
    pod.resource_requests = {{"nvidia.com/gpu", "1"}};
  });
  kept.seen_.pods = kept.seen_.warm_pods;
  kept.seen_.nodes = {MakeNode("a").with([](kube::Node& node) { node.allocatable = {{"nvidia.com/gpu", "1"}}; }).get()};
  kept.pass();
  EXPECT_EQ(kept.plan_.status.units.used, 0);
  EXPECT_EQ(kept.plan_.status.units.total, 1);
  EXPECT_EQ(kept.plan_.status.cost.idle_per_hour, kept.plan_.status.cost.per_hour);
}

}  // namespace
}  // namespace reprise::controllers::gpupool
