#include <gtest/gtest.h>

#include "simulator/actors/node/termination_message.h"
#include "simulator/actors/testing/ranks.h"

namespace reprise::simulator::testing {
namespace {

const std::string kPlain = R"("containers":[{"name":"c","image":"i"}],"terminationGracePeriodSeconds":30)";

struct OneNode : Scene {
  OneNode() { node("one", 8); }
  bool runs(const std::string& name) {
    return becomes(minutes(3), [&] { return phase_of(name) == "Running" && is_true(*find_pod(name), "Ready"); });
  }
};

TEST(DevicePlugin, offers_slices_under_the_name_that_its_configuration_gives_them) {
  const std::string config = "nvidia.com/device-plugin.config";
  const Resources eight_slices{{"nvidia.com/gpu", 0}, {"nvidia.com/gpu.shared", 8'000}};
  EXPECT_EQ(devices_of({{config, "ts-4"}}, 2), eight_slices);
  EXPECT_EQ(devices_of({{config, "mps-4"}, {"nvidia.com/mps.capable", "true"}}, 2), eight_slices);
  EXPECT_EQ(devices_of({}, 2), (Resources{{"nvidia.com/gpu", 2'000}}));
}

TEST(DevicePlugin, offers_partitions_as_often_as_the_layout_has_them) {
  const Labels a100{{"nvidia.com/device-plugin.config", "mig-mixed"},
                    {"nvidia.com/mig.config", "all-1g.5gb"},
                    {"karpenter.k8s.aws/instance-gpu-name", "a100"},
                    {"karpenter.k8s.aws/instance-gpu-memory", "40960"}};
  EXPECT_EQ(devices_of(a100, 8), (Resources{{"nvidia.com/gpu", 0}, {"nvidia.com/mig-1g.5gb", 56'000}}));
  Labels larger = a100;
  larger["karpenter.k8s.aws/instance-gpu-memory"] = "81920";
  EXPECT_EQ(devices_of(larger, 8), Resources{}) << "no GPU of that size has such partitions";
}

TEST(DevicePlugin, offers_nothing_by_mps_where_no_daemon_runs) {
  EXPECT_EQ(devices_of({{"nvidia.com/device-plugin.config", "mps-4"}}, 2), Resources{});
}

TEST(Kubelet, init_containers_end_before_the_others_start) {
  OneNode scene;
  scene.pod(
      "a",
      R"("initContainers":[{"name":"install","image":"agent","command":["/reprise-agent","install","/x"]}],)" + kPlain);
  ASSERT_TRUE(scene.runs("a"));
  const ObjectPtr pod = scene.find_pod("a");
  const Value& init = array(*pod, {"status", "initContainerStatuses"})[0];
  const Value& main = array(*pod, {"status", "containerStatuses"})[0];
  EXPECT_EQ(number(init, {"state", "terminated", "exitCode"}, -1), 0);
  EXPECT_LE(text(init, {"state", "terminated", "finishedAt"}), text(main, {"state", "running", "startedAt"}));
}

TEST(Kubelet, a_deleted_pod_is_reported_as_ended_before_it_goes) {
  OneNode scene;
  scene.pod("a", kPlain);
  ASSERT_TRUE(scene.runs("a"));
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "a"}));
  ASSERT_TRUE(scene.becomes(seconds(30), [&] { return scene.find_pod("a") == nullptr; }));
  const ObjectPtr last = last_seen(scene, "a");
  EXPECT_EQ(text(*last, {"status", "phase"}), "Failed");
  EXPECT_EQ(exit_code_of(*last), 143);
}

TEST(Kubelet, a_program_that_ends_by_itself_leaves_its_code) {
  OneNode scene;
  scene.pod("a", kPlain,
            R"(,"annotations":{"simulate.reprise.dev/run-milliseconds":"5000","simulate.reprise.dev/exit-code":"3"})");
  ASSERT_TRUE(scene.becomes(minutes(2), [&] { return scene.phase_of("a") == "Failed"; }));
  EXPECT_EQ(exit_code_of(*scene.find_pod("a")), 3);
}

TEST(Kubelet, a_message_is_cut_to_its_part_of_what_the_pod_has) {
  const std::string message(4096, 'm');
  const auto pod = [](int containers, int init, int debug) {
    Value made;
    const auto entries = [](int count) { return JsonArray(static_cast<std::size_t>(count), Value(JsonObject{})); };
    set(made, {"spec", "containers"}, entries(containers));
    set(made, {"spec", "initContainers"}, entries(init));
    set(made, {"spec", "ephemeralContainers"}, entries(debug));
    return made;
  };
  EXPECT_EQ(reported_message(pod(1, 1, 0), message).size(), 4096U);
  EXPECT_EQ(reported_message(pod(1, 2, 1), message).size(), 3072U);
  EXPECT_EQ(reported_message(pod(3, 3, 0), message).size(), 2048U);
  EXPECT_EQ(reported_message(pod(1, 1, 0), std::string(5000, 'm')).size(), 4096U);
}

TEST(Kubelet, a_container_is_ready_when_its_probes_have_waited) {
  OneNode scene;
  scene.pod("a", R"("containers":[{"name":"c","image":"i","startupProbe":{"initialDelaySeconds":20},)"
                 R"("readinessProbe":{"initialDelaySeconds":40}}])");
  ASSERT_TRUE(scene.becomes(minutes(2), [&] { return scene.phase_of("a") == "Running"; }));
  scene.run(seconds(50));
  EXPECT_FALSE(is_true(*scene.find_pod("a"), "Ready"));
  scene.run(seconds(15));
  EXPECT_TRUE(is_true(*scene.find_pod("a"), "Ready"));
}

TEST(Kubelet, a_container_whose_liveness_probe_fails_is_stopped_and_its_pod_is_not_deleted) {
  OneNode scene;
  scene.pod("a",
            R"("containers":[{"name":"c","image":"i","livenessProbe":{"initialDelaySeconds":0}}],)"
            R"("terminationGracePeriodSeconds":30)",
            R"(,"labels":{"reprise.dev/attempt":"1","batch.kubernetes.io/job-completion-index":"0"},)"
            R"("annotations":{"simulate.reprise.dev/unhealthy-after-milliseconds":"5000",)"
            R"("simulate.reprise.dev/unhealthy-attempt":"1"})");
  ASSERT_TRUE(scene.becomes(minutes(2), [&] { return scene.phase_of("a") == "Failed"; }));
  EXPECT_EQ(exit_code_of(*scene.find_pod("a")), 143);
  EXPECT_FALSE(being_deleted(*scene.find_pod("a")));
}

TEST(Kubelet, a_forced_deletion_removes_the_object_and_not_at_once_the_process) {
  OneNode scene;
  scene.pod("a", kPlain);
  ASSERT_TRUE(scene.runs("a"));
  scene.actors->silence("one");
  scene.actors->force_delete_pod("default", "a");
  EXPECT_EQ(scene.find_pod("a"), nullptr);
  scene.run(seconds(30));
  EXPECT_EQ(scene.actors->kubelets.find("one")->runs().size(), 1U);
  scene.actors->silence("one", false);
  scene.run(seconds(30));
  EXPECT_TRUE(scene.actors->kubelets.find("one")->runs().empty());
}

TEST(Kubelet, what_a_lost_machine_ran_is_reported_after_its_reboot_as_ended_in_an_unknown_way) {
  OneNode scene;
  scene.pod("a", kPlain);
  ASSERT_TRUE(scene.runs("a"));
  const std::string boot(text(*scene.api.get({scene.kinds.nodes, "", "one"}), {"status", "nodeInfo", "bootID"}));
  scene.actors->power_loss("one");
  scene.run(seconds(10));
  EXPECT_EQ(scene.phase_of("a"), "Running");  // nobody has reported it
  scene.actors->reboot("one");
  ASSERT_TRUE(scene.becomes(seconds(30), [&] { return scene.phase_of("a") == "Failed"; }));
  const Value& status = array(*scene.find_pod("a"), {"status", "containerStatuses"})[0];
  EXPECT_EQ(text(status, {"state", "terminated", "reason"}), "Unknown");
  EXPECT_EQ(exit_code_of(*scene.find_pod("a")), 255);
  EXPECT_NE(text(*scene.api.get({scene.kinds.nodes, "", "one"}), {"status", "nodeInfo", "bootID"}), boot);
}

TEST(Kubelet, pods_outlive_their_kubelet_and_its_word_comes_late) {
  OneNode scene;
  scene.pod("a", kPlain, R"(,"annotations":{"simulate.reprise.dev/run-milliseconds":"60000"})");
  ASSERT_TRUE(scene.runs("a"));
  scene.actors->restart_kubelet("one", minutes(2));
  scene.run(seconds(100));
  EXPECT_EQ(scene.phase_of("a"), "Running");
  scene.run(seconds(60));
  EXPECT_EQ(scene.phase_of("a"), "Succeeded");
}

TEST(Kubelet, a_pod_deleted_before_it_ran_has_a_status_nonetheless) {
  OneNode scene;
  scene.pod("a", kPlain);
  ASSERT_TRUE(scene.becomes(seconds(60), [&] { return scene.node_of("a") == "one"; }));
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "a"}));
  ASSERT_TRUE(scene.becomes(seconds(30), [&] { return scene.find_pod("a") == nullptr; }));
  EXPECT_EQ(exit_code_of(*last_seen(scene, "a")), 137);
}

}  // namespace
}  // namespace reprise::simulator::testing
