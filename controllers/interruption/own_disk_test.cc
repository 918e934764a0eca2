#include "controllers/interruption/own_disk.h"

#include <gtest/gtest.h>

#include "controllers/interruption/healthy_place_for_tests.h"

namespace reprise::controllers::interruption {
namespace {

// As a kubelet of 1.35 wrote them, blank at the end and all.
constexpr const char* kOfPod = "Pod ephemeral local storage usage exceeds the total limit of containers 30Mi. ";
constexpr const char* kOfVolume = "Usage of EmptyDir volume \"d\" exceeds the limit \"30Mi\". ";
constexpr const char* kOfContainer = "Container trainer exceeded its local ephemeral storage limit \"30Mi\". ";
constexpr const char* kOfNode =
    "The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: 10Mi. Container trainer was "
    "using 60Mi, request is 0, has larger consumption of ephemeral-storage. ";

kube::Pod evicted(const char* message) {
  kube::Pod pod = Place().pod;
  pod.phase = kube::PodPhase::Failed;
  pod.reason = "Evicted";
  pod.message = message;
  return pod;
}

TEST(OwnDisk, is_overfilled_where_the_kubelet_names_a_limit_of_the_pod_s) {
  for (const char* message : {kOfPod, kOfVolume, kOfContainer}) EXPECT_TRUE(overfilled_its_own_disk(evicted(message)));
  EXPECT_FALSE(overfilled_its_own_disk(evicted(kOfNode))) << "of kubelets that do not mark what they evict";
  EXPECT_FALSE(overfilled_its_own_disk(evicted("Pod was rejected: The node had condition: [DiskPressure]. ")));
  EXPECT_FALSE(overfilled_its_own_disk(evicted("")));
}

TEST(OwnDisk, is_not_what_ends_a_pod_that_is_marked_or_has_not_failed) {
  kube::Pod marked = evicted(kOfPod);
  marked.conditions = {kube::PodCondition{"DisruptionTarget", "True", "TerminationByKubelet", ""}};
  EXPECT_FALSE(overfilled_its_own_disk(marked));
  marked.conditions = {kube::PodCondition{"DisruptionTarget", "False", "", ""}};
  EXPECT_TRUE(overfilled_its_own_disk(marked));
  kube::Pod other = evicted(kOfPod);
  other.reason = "Preempting";
  EXPECT_FALSE(overfilled_its_own_disk(other));
  kube::Pod running = evicted(kOfPod);
  running.phase = kube::PodPhase::Running;
  EXPECT_FALSE(overfilled_its_own_disk(running));
}

TEST(OwnDisk, overfilled_is_no_signal_and_a_node_short_of_it_is_one) {
  for (const char* message : {kOfPod, kOfVolume, kOfContainer}) {
    Place place;
    place.pod = evicted(message);
    EXPECT_FALSE(place.look()) << message;
  }
  Place of_node;
  of_node.pod = evicted(kOfNode);
  ASSERT_TRUE(of_node.look());
  EXPECT_EQ(of_node.look()->reason, "Evicted");
}

}  // namespace
}  // namespace reprise::controllers::interruption
