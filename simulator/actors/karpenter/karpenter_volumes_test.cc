#include <gtest/gtest.h>

#include "simulator/actors/testing/scene.h"

namespace reprise::simulator::testing {
namespace {

// A pod with a volume runs on a machine that is to go.
struct LeavingWithVolume : Scene {
  LeavingWithVolume() {
    pool();
    claim("data");
    gpu_pod("a", R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}])");
    EXPECT_TRUE(becomes(minutes(5), [&] { return all_running(*this, {"a"}); }));
    node = node_of("a");
    volume = actors->volume_of("default", "data");
  }
  [[nodiscard]] ObjectPtr node_claim() const { return api.get({kinds.node_claims, "", node}); }
  [[nodiscard]] std::string detached() const {
    const ObjectPtr found = node_claim();
    return found ? std::string(condition_status(*found, "VolumesDetached")) : "no such claim";
  }
  [[nodiscard]] std::size_t attachments() const { return api.list(kinds.volume_attachments).size(); }
  std::string node, volume;
};

TEST(Karpenter, a_machine_goes_only_when_its_volumes_are_detached) {
  LeavingWithVolume scene;
  scene.actors->volumes.want(scene.volume, scene.node, "slow to unmount", [] {});
  scene.actors->delete_node_claim(scene.node);
  ASSERT_TRUE(scene.becomes(minutes(1), [&] { return scene.detached() == "Unknown"; }));
  scene.run(minutes(1));
  EXPECT_EQ(scene.detached(), "Unknown");
  EXPECT_EQ(scene.attachments(), 1U);
  EXPECT_NE(scene.actors->kubelets.find(scene.node), nullptr);
  scene.actors->volumes.release(scene.volume, scene.node, "slow to unmount");
  scene.run(Volumes::kDetach - seconds(1));
  EXPECT_EQ(scene.detached(), "Unknown");
  ASSERT_TRUE(scene.becomes(seconds(3), [&] { return scene.detached() == "True"; }));
  EXPECT_EQ(scene.attachments(), 0U);
  EXPECT_TRUE(scene.becomes(minutes(1), [&] { return !scene.node_claim(); }));
}

TEST(Karpenter, at_the_end_of_its_grace_period_a_machine_waits_for_no_volume) {
  LeavingWithVolume scene;
  scene.actors->volumes.want(scene.volume, scene.node, "never unmounts", [] {});
  scene.actors->delete_node_claim(scene.node);
  scene.run(seconds(118));
  EXPECT_EQ(scene.detached(), "Unknown");
  ASSERT_TRUE(scene.becomes(seconds(4), [&] { return scene.detached() == "False"; }));
  EXPECT_EQ(condition_reason(*scene.node_claim(), "VolumesDetached"), "TerminationGracePeriodElapsed");
  EXPECT_TRUE(scene.becomes(minutes(1), [&] { return !scene.node_claim(); }));
  EXPECT_EQ(scene.attachments(), 1U);
}

TEST(Karpenter, volumes_of_a_pod_that_cannot_be_drained_are_not_waited_for) {
  LeavingWithVolume scene;
  scene.actors->power_loss(scene.node);
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "a"}));
  scene.actors->delete_node_claim(scene.node);
  ASSERT_TRUE(scene.becomes(seconds(100), [&] { return scene.detached() == "True"; }));
  EXPECT_EQ(scene.attachments(), 1U);
}

}  // namespace
}  // namespace reprise::simulator::testing
