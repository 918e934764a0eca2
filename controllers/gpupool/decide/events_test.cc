// Every Event about a pool, by what brings it about: each that the table of Events has is here.
#include "controllers/events/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/gpupool/shell/attempts.h"
#include "controllers/gpupool/testing/failing_pool.h"
#include "controllers/gpupool/testing/makeshift_pool.h"
#include "controllers/gpupool/testing/rented_pool.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using controllers::testing::make_node_pool;
using controllers::testing::MakeNode;
using controllers::testing::MakeNodeClaim;
using controllers::testing::MakePool;

struct Row {
  const char* reason;
  const char* when;
  Observation (*seen)();
};

Observation of(std::shared_ptr<const api::GpuPool> pool) {
  Observation seen;
  seen.pool = std::move(pool);
  seen.now = kStart;
  return seen;
}

Observation sliced() {
  return of(MakePool("t4").time_slicing(4).get());
}

// The pool with its overlays, as the API server and Karpenter would show them.
Observation sliced(const std::function<void(api::NodeOverlay&)>& change) {
  Observation seen = sliced();
  for (const api::NodeOverlay& wanted : desired_overlays(*seen.pool)) {
    auto made = std::make_shared<api::NodeOverlay>(wanted);
    change(*made);
    seen.overlays.push_back(made);
  }
  return seen;
}

Observation with_a_foreign_node_pool() {
  Observation seen = of(MakePool("t4").get());
  auto foreign = std::make_shared<api::NodePool>();
  foreign->meta.name = "t4-spot";
  seen.node_pools["t4-spot"] = foreign;
  return seen;
}

Observation with_a_foreign_key() {
  Observation seen = sliced();
  auto map = std::make_shared<kube::ConfigMap>();
  map->data["ts-4"] = "version: v1 # by hand";
  seen.device_plugin_config = map;
  return seen;
}

Observation with_a_stuck_node() {
  Observation seen = of(MakePool("t4").get());
  const auto wanted = desired_node_pools(*seen.pool);
  seen.node_pools["t4-spot"] = std::make_shared<api::NodePool>(wanted->front());
  seen.node_claims = {MakeNodeClaim("stuck", "node-a").with([](auto& claim) { claim.conditions.clear(); }).get()};
  seen.now += std::chrono::hours(1);
  return seen;
}

Observation with_a_node_that_cannot_be_cut() {
  Observation seen = of(MakePool("t4")
                            .with([](auto& pool) {
                              pool.spec.gpu.models = {"a100"};
                              pool.spec.instance_types = {"p4d.24xlarge"};
                              pool.spec.sharing.mode = api::SharingMode::MIG;
                              pool.spec.sharing.mig_devices = {{"1g.5gb", 7}};
                            })
                            .get());
  for (const api::NodeOverlay& wanted : desired_overlays(*seen.pool)) {
    auto made = std::make_shared<api::NodeOverlay>(wanted);
    made->conditions = {{"Ready", "True", "", ""}};
    seen.overlays.push_back(made);
  }
  seen.nodes = {
      MakeNode("node-a").with([](auto& node) { node.meta.labels["nvidia.com/mig.config.state"] = "failed"; }).get()};
  return seen;
}

Observation with_faulty_nodes(api::HealthPolicy policy, int faulty) {
  Observation seen = of(MakePool("t4").with([&](auto& pool) { pool.spec.health_policy = policy; }).get());
  seen.node_pools = {{"t4-spot", make_node_pool()}};
  for (int i = 0; i < faulty; ++i) {
    const std::string name = "node-" + std::to_string(i);
    seen.nodes.push_back(MakeNode(name)
                             .with([](auto& node) {
                               node.conditions.push_back(
                                   {.type = "GpuMemWatch", .status = "True", .reason = {}, .message = {}});
                             })
                             .get());
    seen.node_claims.push_back(MakeNodeClaim("claim-of-" + name, name)
                                   .with([](auto& claim) {
                                     claim.conditions = {{"Initialized", "True", "", ""}};
                                   })
                                   .get());
  }
  return seen;
}

Observation of_existing_nodes(kube::StringMap labels) {
  Observation seen = of(MakePool("rack")
                            .with([](auto& pool) {
                              pool.meta.creation_timestamp = kStart;
                              pool.spec.node_class_ref.reset();
                              pool.spec.capacity.clear();
                              pool.spec.existing_nodes.emplace();
                            })
                            .get());
  seen.candidates.nodes = {MakeNode("a").with([&](auto& node) { node.meta.labels = std::move(labels); }).get()};
  seen.pools_of_existing_nodes = {seen.pool};
  return seen;
}

Observation with_a_node_labelled_by_a_person() {
  return of_existing_nodes({{"reprise.dev/pool", "of-a-person"}});
}

Observation with_a_node_of_an_older_pool() {
  Observation seen = of_existing_nodes({});
  auto older = std::make_shared<api::GpuPool>(*seen.pool);
  older->meta.uid = "uid-older";
  older->meta.creation_timestamp = kStart - std::chrono::hours(1);
  seen.pools_of_existing_nodes.push_back(std::move(older));
  return seen;
}

const Row kRows[] = {
    {"InitializationDeadlineExceeded", "a node does not become usable", with_a_stuck_node},
    {"MachineNeverUseful", "Karpenter ends a machine before it is useful",
     [] {
       Observation seen = with_a_stuck_node();
       auto claim = std::make_shared<api::NodeClaim>(*seen.node_claims.front());
       claim->meta.deletion_timestamp = seen.now;
       seen.node_claims = {claim};
       return seen;
     }},
    {"RunningDry", "it may not rent on demand any more, and has a machine",
     [] {
       testing::FailingPool pool;
       pool.launch("a", "on-demand").becomes_useful("a").pass();
       pool.edit([](api::GpuPool& p) { p.spec.capacity.pop_back(); });
       pool.pass();
       return pool.seen_;
     }},
    {"UnitsMissing", "a node shows three of its four GPUs",
     [] {
       Observation seen = of(MakePool("t4").get());
       seen.nodes = {MakeNode("a")
                         .with([](auto& node) {
                           node.meta.labels["node.kubernetes.io/instance-type"] = "g4dn.12xlarge";
                           node.meta.labels["karpenter.sh/initialized"] = "true";
                           node.capacity = {{"nvidia.com/gpu", "3"}};
                         })
                         .get()};
       return seen;
     }},
    {"MaxCostReached", "one more GPU may cost more than the pool may",
     [] { return testing::Rented("0.60").with_machines(1, "spot").seen_; }},
    {"NotSupported", "the pool is to be kept warm",
     [] { return of(MakePool("t4").with([](auto& pool) { pool.spec.warm_gpus = 2; }).get()); }},
    {"InvalidSpec", "its node class is of an unknown provider",
     [] {
       return of(MakePool("t4").with([](auto& pool) { pool.spec.node_class_ref->group = "karpenter.example"; }).get());
     }},
    {"KarpenterNotInstalled", "a kind of Karpenter's is not served",
     [] {
       Observation seen = of(MakePool("t4").get());
       seen.missing_kinds = "nodepools.karpenter.sh";
       return seen;
     }},
    {"NodePoolNotOwned", "there is a NodePool of its name", with_a_foreign_node_pool},
    {"DevicePluginKeyNotOwned", "its key has another content", with_a_foreign_key},
    {"NodeOverlayNotServed", "NodeOverlays are not served",
     [] {
       Observation seen = sliced();
       seen.overlays_served = false;
       return seen;
     }},
    {"NodeOverlayIgnored", "Karpenter does not judge a NodeOverlay",
     [] { return sliced([](auto& overlay) { overlay.meta.creation_timestamp = kStart - std::chrono::hours(1); }); }},
    {"NodeOverlayNotReady", "Karpenter rejects a NodeOverlay",
     [] {
       return sliced([](auto& overlay) { overlay.conditions = {{"Ready", "False", "Conflict", "with another"}}; });
     }},
    {"NodeOverlayNotOwned", "there is a NodeOverlay of its name",
     [] { return sliced([](auto& overlay) { overlay.meta.owner_references.clear(); }); }},
    {"NodeSharingFailed", "the MIG manager of a node fails", with_a_node_that_cannot_be_cut},
    {"GpuFault", "a monitor calls GPUs broken", [] { return with_faulty_nodes(api::HealthPolicy::Report, 1); }},
    {"ReplacingFaultyNode", "one of its nodes is given back",
     [] { return with_faulty_nodes(api::HealthPolicy::Replace, 1); }},
    {"ReplacementHeld", "all its nodes are called broken",
     [] { return with_faulty_nodes(api::HealthPolicy::Replace, 2); }},
    {"ReturningToPreferredCapacity", "spot may be back",
     [] { return testing::Makeshift().saved_after(std::chrono::hours(2)).seen_; }},
    {"RollingDriftedNode", "a node that nobody uses has drifted", [] { return testing::Drifting().seen_; }},
    {"WaitingForCheckpoint", "a node has drifted, and its job has not just saved",
     [] { return testing::Drifting().runs(testing::training_job("fit", kStart - std::chrono::hours(1))).seen_; }},
    {"NodeLabelNotOwned", "a person has labelled its node", with_a_node_labelled_by_a_person},
    {"NodeOfAnotherPool", "an older pool has its node", with_a_node_of_an_older_pool},
    {"CostLimitBelowOneNode", "a machine costs more than the pool may",
     [] { return of(MakePool("t4").with([](auto& pool) { pool.spec.max_cost_per_hour = "0.01"; }).get()); }},
    {"LimitBelowOneNode", "a machine has more GPUs than may be rented",
     [] {
       return of(MakePool("t4")
                     .with([](auto& pool) {
                       pool.spec.gpu.counts_per_node = {8};
                       pool.spec.capacity.front().max_gpus = 4;
                     })
                     .get());
     }},
    {"NoInstanceType", "nothing has such a GPU",
     [] { return of(MakePool("t4").time_slicing(4).with([](auto& pool) { pool.spec.gpu.models = {"none"}; }).get()); }},
};

bool is_warning(const std::string& reason) {
  const auto found = std::ranges::find_if(events::table(), [&](const events::Info& info) {
    return info.object == events::Object::GpuPool && info.reason == reason;
  });
  return found == events::table().end() || found->type == events::Type::Warning;
}

std::set<std::string> said_about(const Observation& seen) {
  std::set<std::string> reasons;
  for (const Announcement& each : decide(seen).announcements) {
    EXPECT_EQ(each.warning, is_warning(each.reason)) << each.reason;
    EXPECT_FALSE(each.note.empty()) << each.reason;
    reasons.insert(each.reason);
  }
  return reasons;
}

TEST(PoolEvents, each_is_said_when_it_happens) {
  for (const Row& row : kRows) EXPECT_EQ(said_about(row.seen()), std::set<std::string>{row.reason}) << row.when;
}

TEST(PoolEvents, what_has_been_said_is_not_said_again_while_nothing_changes) {
  for (const Row& row : kRows) {
    Observation seen = row.seen();
    const Plan first = decide(seen);
    auto pool = std::make_shared<api::GpuPool>(*seen.pool);
    pool->status = first.status;
    seen.pool = pool;
    EXPECT_TRUE(said_about(seen).empty()) << row.reason;
  }
}

// The shell tells of what the API server rejects and of what is changed back: decide_test.cc and apply_test.cc hold
// that.
TEST(PoolEvents, each_of_the_table_has_a_row_here) {
  std::set<std::string> rows{std::string(reason_of(Obstacle::Cause::Rejected)),
                             std::string(reason_of(Obstacle::Cause::ChangedBack))};
  for (const Row& row : kRows) rows.insert(row.reason);
  std::set<std::string> table;
  for (const events::Info& info : events::table()) {
    if (info.object == events::Object::GpuPool) table.insert(info.reason);
  }
  EXPECT_EQ(rows, table);
}

}  // namespace
}  // namespace reprise::controllers::gpupool
