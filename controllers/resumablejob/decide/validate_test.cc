// An obstacle to a job's start is told in a condition that begins with the field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using controllers::testing::MakePool;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Case {
  const char* invariant;
  std::function<void(JobWorld&)> spoil;
  const char* reason;
  const char* field;
};

class Validation : public ::testing::TestWithParam<Case> {};

TEST_P(Validation, rejects_with_the_field_s_name_and_recovers) {
  const Case& row = GetParam();
  JobWorld world(MakeJob("fit").parallelism(2).get());
  const api::ResumableJob good = world.job_;
  const auto good_pool = world.pool_;
  row.spoil(world);
  world.settle();
  EXPECT_EQ(world.state("Stalled"), std::string("True/") + row.reason) << row.invariant;
  EXPECT_THAT(world.condition("Stalled").message, HasSubstr(row.field)) << row.invariant;
  EXPECT_THAT(world.pods(), IsEmpty()) << row.invariant;
  world.settle();
  EXPECT_LE(world.announced_.size(), 1U) << "said once";

  world.job_.spec = good.spec;
  world.job_.meta.generation = 2;
  world.pool_ = good_pool;
  world.claims_.clear();
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "False/Progressing") << row.invariant;
  EXPECT_EQ(world.pods().size(), 2U) << row.invariant;
}

INSTANTIATE_TEST_SUITE_P(
    Table, Validation,
    ::testing::Values(
        Case{"an unknown pool", [](JobWorld& w) { w.pool_ = nullptr; }, "PoolNotFound", "spec.poolName"},
        Case{"a pool of another team",
             [](JobWorld& w) {
               w.pool_ = MakePool("t4")
                             .with([](auto& p) {
                               p.spec.allowed_namespaces = kube::LabelSelector{{{"team", "speech"}}, {}};
                             })
                             .get();
             },
             "NamespaceNotAllowed", "spec.poolName"},
        Case{"a whole GPU asked of a sharing pool",
             [](JobWorld& w) {
               w.pool_ = MakePool("t4").time_slicing(4).get();
               w.job_.spec.pod_template.containers[0].limits = {{"nvidia.com/gpu", "1"}};
             },
             "WholeGpuRequested", "resources.limits[nvidia.com/gpu]"},
        Case{"two slices of one shared GPU",
             [](JobWorld& w) {
               w.pool_ = MakePool("t4").time_slicing(4).get();
               w.job_.spec.pod_template.containers[0].limits = {{"reprise.dev/gpu", "2"}};
             },
             "InvalidUnits", "resources.limits[reprise.dev/gpu]"},
        Case{"half a unit",
             [](JobWorld& w) {
               w.job_.spec.pod_template.containers[0].limits = {{"reprise.dev/gpu", "500m"}};
             },
             "InvalidUnits", "resources.limits[reprise.dev/gpu]"},
        Case{"units without a pool", [](JobWorld& w) { w.job_.spec.pool_name = ""; }, "PoolNameMissing",
             "resources.limits[reprise.dev/gpu]"},
        Case{"a rule about a container that does not train",
             [](JobWorld& w) {
               w.job_.spec.pod_failure_rules = {
                   {.on_exit_codes_container = "logs", .on_exit_codes_operator = "In", .on_exit_codes_values = {1}}};
             },
             "NotSupported", "spec.podFailurePolicy.rules[0].onExitCodes.containerName"},
        Case{"zones without a pool",
             [](JobWorld& w) {
               w.job_.spec.pool_name.clear();
               w.job_.spec.placement.emplace().zones = {"z-a"};
               w.job_.spec.pod_template.containers[0].limits.clear();
             },
             "PoolNameMissing", "spec.placement.zones"},
        Case{"a kind of capacity without a pool",
             [](JobWorld& w) {
               w.job_.spec.pool_name.clear();
               w.job_.spec.placement.emplace().capacity = api::PlacementCapacity::SpotOnly;
               w.job_.spec.pod_template.containers[0].limits.clear();
             },
             "PoolNameMissing", "spec.placement.capacity"},
        Case{"snapshots", [](JobWorld& w) { w.job_.spec.checkpoint.snapshot.emplace(); }, "NotSupported",
             "spec.checkpoint.snapshot"},
        Case{"a cost limit without a pool",
             [](JobWorld& w) {
               w.job_.spec.pool_name.clear();
               w.job_.spec.placement.emplace().max_cost = "4.00";
               w.job_.spec.pod_template.containers[0].limits.clear();
             },
             "PoolNameMissing", "spec.placement.maxCost"},
        Case{"a pattern that is none", [](JobWorld& w) { w.job_.spec.checkpoint.progress_pattern = "step (\\d+"; },
             "InvalidPattern", "missing )"},
        Case{"a pattern without a group", [](JobWorld& w) { w.job_.spec.checkpoint.progress_pattern = "step \\d+"; },
             "InvalidPattern", "no group"},
        Case{"silence as a fence", [](JobWorld& w) { w.job_.spec.fencing = api::FencingPolicy::Silence; },
             "NotSupported", "spec.fencing"},
        Case{"a mount over the checkpoints",
             [](JobWorld& w) { w.job_.spec.pod_template.containers[0].mount_paths = {"/checkpoints"}; },
             "CheckpointPathMounted", "volumeMounts"},
        Case{"the operator's own label",
             [](JobWorld& w) { w.job_.spec.pod_template.labels["reprise.dev/standby"] = "1"; }, "ReservedKey",
             "spec.template.metadata"},
        Case{"a pool chosen by the template",
             [](JobWorld& w) { w.job_.spec.pod_template.reserved = {"spec.nodeSelector[reprise.dev/pool]"}; },
             "ReservedKey", "spec.template.spec.nodeSelector[reprise.dev/pool]: the operator sets it itself"},
        Case{"a node chosen by the template",
             [](JobWorld& w) { w.job_.spec.pod_template.reserved = {"spec.nodeName"}; }, "ReservedKey",
             "spec.template.spec.nodeName: must be absent"},
        Case{"an environment variable for the agent",
             [](JobWorld& w) { w.job_.spec.pod_template.reserved = {"spec.containers[a].env[REPRISE_ATTEMPT]"}; },
             "ReservedKey", "spec.template.spec.containers[a].env[REPRISE_ATTEMPT]"},
        Case{"no command", [](JobWorld& w) { w.job_.spec.pod_template.containers[0].command.clear(); },
             "CommandMissing", "containers[trainer].command"},
        Case{"a container that is not there", [](JobWorld& w) { w.job_.spec.container = "ghost"; }, "ContainerNotFound",
             "spec.container"},
        Case{"several containers of which none asks for units",
             [](JobWorld& w) {
               auto containers = w.job_.spec.pod_template.containers;
               containers.push_back(containers[0]);
               containers[0].limits = containers[1].limits = {};
               containers[1].name = "proxy";
               w.job_.spec.pod_template.containers = containers;
             },
             "ContainerNotFound", "none of the 2 containers"},
        Case{"several containers that ask for units",
             [](JobWorld& w) {
               auto containers = w.job_.spec.pod_template.containers;
               containers.push_back(containers[0]);
               containers[1].name = "another";
               w.job_.spec.pod_template.containers = containers;
             },
             "ContainerNotFound", "containers trainer and another ask for GPUs"},
        Case{"restarts by the kubelet", [](JobWorld& w) { w.job_.spec.pod_template.restart_policy = "OnFailure"; },
             "RestartPolicy", "restartPolicy"},
        Case{"a claim that is not there",
             [](JobWorld& w) {
               w.job_.spec.checkpoint.volume.claim_template.reset();
               w.job_.spec.checkpoint.volume.claim_name = "ghost";
             },
             "ClaimNotFound", "spec.checkpoint.volume.claimName"},
        Case{"a claim that somebody else made",
             [](JobWorld& w) {
               kube::PersistentVolumeClaim claim;
               claim.meta.name = "fit-checkpoints";
               claim.meta.uid = "uid-foreign";
               claim.access_modes = {"ReadWriteMany"};
               w.claims_["fit-checkpoints"] = std::make_shared<const kube::PersistentVolumeClaim>(claim);
             },
             "ClaimExists", "fit-checkpoints"},
        Case{"a rank's claim that is only labelled for the job",
             [](JobWorld& w) {
               w.job_.spec.checkpoint.volume.access = api::VolumeAccess::PerIndex;
               kube::PersistentVolumeClaim claim;
               claim.meta.name = "fit-checkpoints-0";
               claim.meta.namespace_ = w.job_.meta.namespace_;
               claim.meta.uid = "uid-foreign";
               claim.meta.labels = {{"reprise.dev/job-uid", w.job_.meta.uid}};
               w.claims_["fit-checkpoints-0"] = std::make_shared<const kube::PersistentVolumeClaim>(claim);
             },
             "ClaimExists", "(this one is uid-foreign): kubectl annotate --overwrite resumablejob fit"},
        Case{"a claim that goes",
             [](JobWorld& w) {
               w.job_.spec.checkpoint.volume.claim_template.reset();
               w.job_.spec.checkpoint.volume.claim_name = "going";
               kube::PersistentVolumeClaim claim;
               claim.meta.name = "going";
               claim.meta.uid = "uid-going";
               claim.meta.deletion_timestamp = w.now_;
               claim.access_modes = {"ReadWriteMany"};
               w.claims_["going"] = std::make_shared<const kube::PersistentVolumeClaim>(claim);
             },
             "ClaimDeleting", "is being deleted"},
        Case{"a claim for one node shared by two",
             [](JobWorld& w) {
               w.job_.spec.checkpoint.volume.claim_template.reset();
               w.job_.spec.checkpoint.volume.claim_name = "single";
               kube::PersistentVolumeClaim claim;
               claim.meta.name = "single";
               claim.meta.uid = "uid-single";
               claim.access_modes = {"ReadWriteOnce"};
               w.claims_["single"] = std::make_shared<const kube::PersistentVolumeClaim>(claim);
             },
             "AccessMode", "ReadWriteMany"}));

TEST(Validation, a_pool_that_is_not_ready_yet_is_waited_for_without_alarm) {
  JobWorld world(MakeJob("fit").get());
  const auto ready = world.pool_;
  world.pool_ = MakePool("t4").with([](auto& p) { p.status.resource_name.clear(); }).get();
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "False/PoolNotReady");
  EXPECT_EQ(world.state("Stalled"), "False/Progressing");
  EXPECT_THAT(world.announced_, IsEmpty());
  world.pool_ = ready;
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(Validation, a_claim_that_held_checkpoints_and_is_gone_or_swapped_never_starts_anew_in_silence) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.exit_all(85);
  world.settle();
  kube::PersistentVolumeClaim swapped = *world.claims_.at("fit-checkpoints");
  swapped.meta.uid = "uid-swapped";
  world.claims_["fit-checkpoints"] = std::make_shared<const kube::PersistentVolumeClaim>(swapped);
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_THAT(world.condition("Stalled").message, HasSubstr("uid-swapped"));
  world.claims_.clear();
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_FALSE(world.claims_.contains("fit-checkpoints")) << "no empty claim is made in its place";
  world.job_.spec.resume = api::ResumePolicy::FromScratch;
  world.job_.meta.generation = 2;
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
