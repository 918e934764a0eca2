// The parts of a rank's pod beside the user's template.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/resumablejob/pods/pod_builder.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::MakeJob;
using controllers::testing::MakePool;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Observation observe(api::ResumableJob job, std::shared_ptr<const api::GpuPool> pool) {
  Observation seen;
  job.status.attempt = 3;
  seen.job = std::make_shared<const api::ResumableJob>(std::move(job));
  seen.pool = std::move(pool);
  return seen;
}

std::string env(const api::PodBuilder& pod, std::string_view name) {
  for (const api::EnvVar& variable : pod.env) {
    if (variable.name == name) return variable.value;
  }
  return "(absent)";
}

api::ResumableJobStatus in_attempt(std::int32_t attempt) {
  api::ResumableJobStatus status;
  status.attempt = attempt;
  return status;
}

TEST(PodBuilder, wraps_the_trainer_and_asks_for_the_pool_s_own_resource) {
  const Observation seen = observe(MakeJob("fit").get(), MakePool("t4").time_slicing(4).get());
  const api::PodBuilder pod = build_rank_pod(seen, {.agent_image = "reprise:1"}, seen.job->status, 1);
  EXPECT_EQ(pod.name, "fit-3-1");
  EXPECT_THAT(pod.wrapper, ElementsAre("/reprise/reprise-agent", "run", "--"));
  EXPECT_EQ(pod.resource_names.at("reprise.dev/gpu"), "nvidia.com/gpu.shared");
  EXPECT_EQ(pod.node_selector.at("reprise.dev/pool"), "t4");
  EXPECT_EQ(pod.labels.at("reprise.dev/attempt"), "3");
  EXPECT_EQ(pod.claim_name, "fit-checkpoints");
  EXPECT_EQ(pod.annotations.at("karpenter.sh/do-not-disrupt"), "true");
}

TEST(PodBuilder, wraps_the_container_that_asks_for_units_where_a_proxy_is_listed_first) {
  auto job = MakeJob("fit").get();
  const api::TemplateContainer trainer = job.spec.pod_template.containers[0];
  api::TemplateContainer proxy = trainer;
  proxy.name = "proxy";
  proxy.limits = {};
  job.spec.pod_template.containers = {proxy, trainer};
  const Observation seen = observe(std::move(job), MakePool("t4").get());
  EXPECT_EQ(build_rank_pod(seen, {}, seen.job->status, 0).container, "trainer");
}

TEST(PodBuilder, pulls_the_agent_as_the_operator_is_told_for_ranks_and_standby_pods) {
  const Observation seen = observe(MakeJob("fit").get(), MakePool("t4").get());
  Settings settings{
      .agent_image = "reprise:1", .agent_image_pull_policy = "Never", .agent_image_pull_secrets = {"registry"}};
  for (const api::PodBuilder& pod :
       {build_rank_pod(seen, settings, seen.job->status, 0), build_standby_pod(seen, settings, in_attempt(3), 0)}) {
    EXPECT_EQ(pod.agent_image_pull_policy, "Never") << pod.name;
    EXPECT_THAT(pod.image_pull_secrets, ElementsAre("registry")) << pod.name;
  }
  settings.agent_image.clear();
  EXPECT_TRUE(build_rank_pod(seen, settings, seen.job->status, 0).image_pull_secrets.empty())
      << "trainers' images bring the agent";
}

// The pod of `job` in `pool`, as it is sent.
std::string sent(const api::ResumableJob& job, const std::shared_ptr<const api::GpuPool>& pool) {
  const Observation seen = observe(job, pool);
  const auto pod = api::render_pod(build_rank_pod(seen, {}, seen.job->status, 0));
  return pod ? *pod : pod.error().message;
}

TEST(PodBuilder, a_pod_gets_the_pool_s_runtime_class_unless_its_template_names_one) {
  const auto pool = MakePool("k3s").with([](auto& p) { p.spec.runtime_class_name = "nvidia"; }).get();
  EXPECT_THAT(sent(MakeJob("fit").get(), pool), HasSubstr(R"("runtimeClassName":"nvidia")"));
  const auto own =
      MakeJob("fit")
          .with([](auto& j) {
            j.spec.pod_template.json =
                R"({"spec":{"runtimeClassName":"kata","containers":[{"name":"trainer","command":["train"]}]}})";
          })
          .get();
  EXPECT_THAT(sent(own, pool), HasSubstr(R"("runtimeClassName":"kata")"));
}

struct Asked {
  api::ExternalPreset preset;
  std::string resources, scheduler, annotation;
};

TEST(PodBuilder, a_unit_becomes_what_the_system_that_shares_the_gpus_is_asked_for) {
  using enum api::ExternalPreset;
  const std::string hami = R"({"limits":{"nvidia.com/gpu":1,"nvidia.com/gpucores":25,"nvidia.com/gpumem":4096}})";
  for (const Asked& row : std::vector<Asked>{
           {HAMi, hami, "hami-scheduler", ""},
           {FourParadigm, hami, "4pd-scheduler", ""},
           {Volcano, R"({"limits":{"volcano.sh/vgpu-memory":4096,"volcano.sh/vgpu-number":1}})", "volcano", ""},
           {Volcengine, R"({"limits":{"vke.volcengine.com/mgpu-core":25,"vke.volcengine.com/mgpu-memory":4096}})", "",
            ""},
           {KAI, R"({"limits":{}})", "kai-scheduler",
            R"("gpu-fraction":"0.25","gpu-fraction-container-name":"trainer")"},
           {Aliyun, R"({"limits":{"aliyun.com/gpu-mem":4}})", "", ""},
           {Nvshare, R"({"limits":{"nvshare.com/gpu":1}})", "", ""}}) {
    const auto pool =
        MakePool("shared")
            .with([&](auto& p) {
              p.spec.sharing.mode = api::SharingMode::External;
              p.spec.sharing.external = api::ExternalSharing{
                  .preset = row.preset, .units_per_gpu = 4, .quantity_per_unit = {}, .memory_mib_per_unit = 4096};
            })
            .get();
    const std::string pod = sent(MakeJob("fit").get(), pool);
    EXPECT_THAT(pod, HasSubstr("\"resources\":" + row.resources)) << api::name(row.preset);
    EXPECT_THAT(pod, HasSubstr(row.annotation)) << api::name(row.preset);
    if (!row.scheduler.empty()) {
      EXPECT_THAT(pod, HasSubstr("\"schedulerName\":\"" + row.scheduler + "\"")) << api::name(row.preset);
    }
  }
}

TEST(PodBuilder, gives_a_grace_that_no_node_of_the_pool_undercuts) {
  const auto pool =
      MakePool("t4")
          .with([](auto& p) {
            p.spec.capacity = {{.type = api::CapacityType::Spot, .max_gpus = {}, .notice_seconds = 120},
                               {.type = api::CapacityType::OnDemand, .max_gpus = {}, .notice_seconds = 900}};
          })
          .get();
  EXPECT_EQ(rank_grace_seconds(observe(MakeJob("fit").get(), pool)), 900);
  const auto slow = MakeJob("fit").with([](auto& j) { j.spec.checkpoint.grace_seconds = 1800; }).get();
  EXPECT_EQ(rank_grace_seconds(observe(slow, pool)), 1810);
}

TEST(PodBuilder, tells_the_trainer_how_often_to_save) {
  const auto job = MakeJob("fit").with([](auto& j) { j.spec.checkpoint.period_seconds = 90; }).get();
  const Observation seen = observe(job, MakePool("t4").get());
  EXPECT_EQ(env(build_rank_pod(seen, {}, seen.job->status, 0), "REPRISE_CHECKPOINT_PERIOD_SECONDS"), "90");
}

TEST(PodBuilder, tells_the_agent_what_is_not_as_by_default_of_proofs) {
  const auto told = [](api::UnprovenCheckpoints unproven, bool trust_sync, std::string_view name) {
    const auto job = MakeJob("fit")
                         .with([&](auto& j) {
                           j.spec.checkpoint.unproven = unproven;
                           j.spec.checkpoint.trust_sync = trust_sync;
                         })
                         .get();
    const Observation seen = observe(job, nullptr);
    return env(build_rank_pod(seen, {}, seen.job->status, 0), name);
  };
  EXPECT_EQ(told(api::UnprovenCheckpoints::Use, false, "REPRISE_UNPROVEN"), "Use");
  EXPECT_EQ(told(api::UnprovenCheckpoints::PutAside, true, "REPRISE_UNPROVEN"), "(absent)") << "its default";
  EXPECT_EQ(told(api::UnprovenCheckpoints::PutAside, true, "REPRISE_TRUST_SYNC"), "true");
  EXPECT_EQ(told(api::UnprovenCheckpoints::Use, false, "REPRISE_TRUST_SYNC"), "(absent)");
}

TEST(PodBuilder, tells_the_agent_when_a_trainer_hangs_where_the_job_says_so) {
  const auto told = [](std::optional<std::int32_t> timeout, const std::shared_ptr<const api::GpuPool>& pool) {
    const auto job = MakeJob("fit").with([&](auto& j) { j.spec.progress_timeout_seconds = timeout; }).get();
    const Observation seen = observe(job, pool);
    return env(build_rank_pod(seen, {}, seen.job->status, 0), "REPRISE_PROGRESS_TIMEOUT_SECONDS");
  };
  EXPECT_EQ(told(600, MakePool("t4").get()), "600");
  EXPECT_EQ(told(600, nullptr), "600") << "without a pool as well";
  EXPECT_EQ(told(std::nullopt, MakePool("t4").get()), "(absent)");
}

TEST(PodBuilder, tells_the_trainer_its_rank_and_coordinator) {
  const Observation seen = observe(MakeJob("fit").parallelism(4).get(), MakePool("t4").get());
  const api::PodBuilder pod = build_rank_pod(seen, {}, seen.job->status, 2);
  EXPECT_EQ(env(pod, "JOB_COMPLETION_INDEX"), "2");
  EXPECT_EQ(env(pod, "PET_NNODES"), "4");
  EXPECT_EQ(env(pod, "PET_NODE_RANK"), "2");
  EXPECT_EQ(env(pod, "REPRISE_COORDINATOR"), "fit-3-0.fit-rj.vision.svc:29500");
  EXPECT_EQ(env(pod, "REPRISE_EXPECTED_STEP"), "(absent)");
}

TEST(PodBuilder, tells_the_agent_how_many_gpus_a_rank_has) {
  const auto told = [](const kube::StringMap& limits) {
    const auto job = MakeJob("fit").with([&](auto& j) { j.spec.pod_template.containers[0].limits = limits; }).get();
    const Observation seen = observe(job, MakePool("t4").get());
    return env(build_rank_pod(seen, {}, seen.job->status, 0), "REPRISE_DEVICES");
  };
  EXPECT_EQ(told({{"reprise.dev/gpu", "4"}, {"memory", "64Gi"}}), "4");
  EXPECT_EQ(told({{"nvidia.com/gpu", "8"}, {"vpc.amazonaws.com/efa", "32"}, {"rdma/hca", "1"}}), "8");
  EXPECT_EQ(told({{"google.com/tpu", "4"}}), "4");
  EXPECT_EQ(told({{"nvidia.com/mig-1g.10gb", "2"}}), "2");
  EXPECT_EQ(told({{"cpu", "8"}, {"ephemeral-storage", "1Gi"}}), "(absent)");
}

TEST(PodBuilder, expects_the_last_known_step_unless_it_never_resumes) {
  auto job = MakeJob("fit").get();
  job.status.checkpoint.emplace().step = 70;
  const auto expected = [](const api::ResumableJob& j) {
    const Observation seen = observe(j, MakePool("t4").get());
    return env(build_rank_pod(seen, {}, seen.job->status, 0), "REPRISE_EXPECTED_STEP");
  };
  EXPECT_EQ(expected(job), "70");
  job.spec.resume = api::ResumePolicy::Never;
  EXPECT_EQ(expected(job), "(absent)");
}

TEST(PodBuilder, expects_the_last_known_directory_where_it_is_known) {
  auto job = MakeJob("fit").get();
  job.status.checkpoint.emplace().step = 70;
  const auto expected = [](const api::ResumableJob& j) {
    const Observation seen = observe(j, MakePool("t4").get());
    return env(build_rank_pod(seen, {}, seen.job->status, 0), "REPRISE_EXPECTED_CHECKPOINT");
  };
  EXPECT_EQ(expected(job), "(absent)") << "a step that a person has accepted";
  job.status.checkpoint->path = "step-70";
  EXPECT_EQ(expected(job), "step-70");
}

TEST(PodBuilder, a_standby_pod_mounts_nothing_yields_to_all_and_carries_no_attempt) {
  const Observation seen = observe(MakeJob("fit").get(), MakePool("t4").get());
  const api::PodBuilder pod = build_standby_pod(seen, {.agent_image = "reprise:1"}, in_attempt(3), 0);
  EXPECT_TRUE(pod.claim_name.empty());
  EXPECT_EQ(pod.priority_class_name, "reprise-standby");
  EXPECT_FALSE(pod.labels.contains("reprise.dev/attempt"));
  EXPECT_EQ(pod.labels.at("reprise.dev/standby"), "3");
  EXPECT_FALSE(pod.standby_command.empty());
}

TEST(PodBuilder, says_since_which_attempt_from_scratch_holds_or_every_attempt_would_start_at_zero) {
  auto job = MakeJob("fit").with([](auto& j) { j.spec.resume = api::ResumePolicy::FromScratch; }).get();
  job.status.from_scratch_attempt = 2;
  const Observation seen = observe(job, MakePool("t4").get());
  const api::PodBuilder pod = build_rank_pod(seen, {}, seen.job->status, 0);
  EXPECT_EQ(env(pod, "REPRISE_RESUME"), "FromScratch");
  EXPECT_EQ(env(pod, "REPRISE_FROM_SCRATCH_SINCE"), "2");
}

TEST(PodBuilder, of_an_attempt_that_began_before_the_loss_was_accepted_knows_nothing_of_it) {
  api::ResumableJob job = MakeJob("fit").with([](auto& j) { j.spec.resume = api::ResumePolicy::FromScratch; }).get();
  const Observation seen = observe(job, MakePool("t4").get());
  const api::PodBuilder pod = build_rank_pod(seen, {.agent_image = "reprise:1"}, seen.job->status, 0);
  EXPECT_EQ(env(pod, "REPRISE_RESUME"), "Latest");
  EXPECT_EQ(env(pod, "REPRISE_FROM_SCRATCH_SINCE"), "(absent)");
}

TEST(PodBuilder, runs_and_stands_by_where_kueue_has_counted_the_quota) {
  Observation seen = observe(MakeJob("fit").get(), MakePool("t4").get());
  api::ResourceFlavor flavor;
  flavor.node_labels = {{"reserved-for", "team-a"}};
  flavor.tolerations = {{.key = "reserved", .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}}};
  seen.kueue.flavors = {std::make_shared<const api::ResourceFlavor>(flavor)};
  for (const api::PodBuilder& pod :
       {build_rank_pod(seen, {}, seen.job->status, 0), build_standby_pod(seen, {}, in_attempt(3), 0)}) {
    EXPECT_EQ(pod.node_selector.at("reserved-for"), "team-a") << pod.name;
    EXPECT_THAT(pod.tolerations, ::testing::Contains(flavor.tolerations.front())) << pod.name;
  }
}

TEST(PodBuilder, asks_quota_in_the_user_s_own_units_and_for_no_agent) {
  Observation seen = observe(MakeJob("fit").get(), MakePool("t4").time_slicing(4).get());
  const auto asked = api::render_pod(build_queued_pod(seen));
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_THAT(*asked, ::testing::HasSubstr(R"("limits":{"reprise.dev/gpu":1})"));
  EXPECT_THAT(*asked, ::testing::HasSubstr(R"("nodeSelector":{"reprise.dev/pool":"t4"})"));
  EXPECT_THAT(*asked, ::testing::Not(::testing::HasSubstr("initContainers")));
}

TEST(PodBuilder, has_the_checkpoints_listed_where_each_of_several_ranks_has_a_volume) {
  const auto job = [](std::int32_t ranks, api::VolumeAccess access, api::ResumePolicy resume) {
    return MakeJob("fit").parallelism(ranks).with([&](api::ResumableJob& j) {
      j.spec.checkpoint.volume.access = access;
      j.spec.resume = resume;
    });
  };
  using Access = api::VolumeAccess;
  using Resume = api::ResumePolicy;
  const auto pool = MakePool("t4").get();
  const auto command = [&](MakeJob from) {
    const Observation seen = observe(from.get(), pool);
    return build_rank_pod(seen, {}, seen.job->status, 0).list_command;
  };
  EXPECT_THAT(command(job(2, Access::PerIndex, Resume::Latest)),
              ElementsAre("/reprise/reprise-agent", "list-checkpoints"));
  EXPECT_THAT(command(job(2, Access::PerIndex, Resume::FromScratch)),
              ElementsAre("/reprise/reprise-agent", "list-checkpoints"));
  EXPECT_TRUE(command(job(2, Access::PerIndex, Resume::Never)).empty());
  EXPECT_TRUE(command(job(2, Access::Shared, Resume::Latest)).empty());
  EXPECT_TRUE(command(job(1, Access::PerIndex, Resume::Latest)).empty());
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
