// The embedded cluster against a recording of the real control plane (kube-apiserver, controllers, scheduler, Karpenter
// with the kwok provider; kwok's stages play kubelet and machine). `record` says how it was made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/calibration/scenarios.h"

namespace reprise::calibration {
namespace {

// Known differences, each with its reason.
bool is_known_difference(const Milestone& milestone) {
  static const std::set<std::string> known{
      // kwok's machines are Ready with their first heartbeat and have all their devices; ours boot.
      "nodes Ready=False/KubeletNotReady",
      "nodes taint node.kubernetes.io/not-ready:NoSchedule",
      "nodes no taint node.kubernetes.io/not-ready:NoSchedule",
      "nodes taint node.kubernetes.io/not-ready:NoExecute",
      "nodes no taint node.kubernetes.io/not-ready:NoExecute",
      "nodeclaims Initialized=Unknown/NodeNotReady",
      "nodeclaims Initialized=Unknown/KnownEphemeralTaintsExist",
      "nodeclaims Initialized=Unknown/ResourceNotRegistered",
      // kwok's machines get the pool's taints with the registration, those of a real cloud come up with them.
      "nodes taint nvidia.com/gpu:NoSchedule",
      // kwok goes from Pending to Running in one write; a kubelet shows the containers being made.
      "pods ContainersReady=False/ContainersNotReady",
      "pods Ready=False/ContainersNotReady",
      // A kubelet gives the condition another reason when all is done (status/generate.go), kwok's stage leaves it.
      "pods Initialized=True/PodCompleted",
      // Karpenter shows the first of two writes at once or does not.
      "nodeclaims Launched=Unknown/AwaitingReconciliation",
      "nodeclaims Registered=Unknown/AwaitingReconciliation",
      // Karpenter shows a wait for volumes in passing.
      "nodeclaims VolumesDetached=Unknown/AwaitingVolumeDetachment",
  };
  const std::string kind = milestone.kind.substr(0, milestone.kind.find('-'));
  return known.contains(kind + " " + milestone.fact);
}

std::vector<Milestone> compared(std::vector<Milestone> all) {
  std::erase_if(all, is_known_difference);
  return all;
}

std::map<std::string, std::vector<std::string>> by_object(const std::vector<Milestone>& all) {
  std::map<std::string, std::vector<std::string>> out;
  for (const Milestone& each : all) out[each.kind].push_back(each.fact);
  return out;
}

int write_of(const std::vector<Milestone>& all, const std::string& line) {
  for (const Milestone& each : all)
    if (each.kind + " " + each.fact == line) return each.write;
  ADD_FAILURE() << "never: " << line;
  return -1;
}

struct Calibration : ::testing::TestWithParam<std::string> {};

TEST_P(Calibration, every_object_goes_through_what_it_goes_through_on_the_real_control_plane) {
  const auto real = by_object(compared(recorded(GetParam())));
  const auto ours = by_object(compared(simulated(GetParam())));
  ASSERT_FALSE(real.empty());
  EXPECT_EQ(ours.size(), real.size());
  for (const auto& [object, facts] : real) {
    ASSERT_TRUE(ours.contains(object)) << object;
    EXPECT_THAT(ours.at(object), ::testing::UnorderedElementsAreArray(facts)) << object;
  }
}

TEST_P(Calibration, and_in_the_same_order) {
  const auto real = compared(recorded(GetParam()));
  const auto ours = compared(simulated(GetParam()));
  for (std::size_t i = 0; i < real.size(); ++i) {
    for (std::size_t j = i + 1; j < real.size(); ++j) {
      // Facts of one write on one side may come with several writes on the other.
      if (real[i].kind != real[j].kind || real[i].write == real[j].write) continue;
      // Ready with the first heartbeat there, after the boot here; Karpenter registers what is there, ready or not.
      if (real[i].kind.starts_with("nodes") && real[i].fact == "Ready=True/KubeletReady") continue;
      const std::string before = real[i].kind + " " + real[i].fact;
      const std::string after = real[j].kind + " " + real[j].fact;
      EXPECT_LE(write_of(ours, before), write_of(ours, after)) << before << "\n" << after;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, Calibration, ::testing::ValuesIn(scenarios()), [](const auto& scenario) {
  std::string name = scenario.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

// Expects each fact to lead to the next across objects, on both sides.
void expect_chain(const std::string& scenario, const std::vector<std::string>& chain) {
  for (const auto& all : {recorded(scenario), simulated(scenario)})
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
      EXPECT_LT(write_of(all, chain[i]), write_of(all, chain[i + 1])) << chain[i] << "\n" << chain[i + 1];
}

TEST(CalibrationAcrossObjects, a_pod_gets_a_machine_and_goes_with_its_claim) {
  expect_chain("gpu-pod",
               {"pods PodScheduled=False/Unschedulable", "nodeclaims exists", "nodeclaims Launched=True/Launched",
                "nodes label karpenter.sh/registered", "pods bound", "pods phase Running", "nodeclaims deleting",
                "nodes deleting", "nodes taint karpenter.sh/disrupted:NoSchedule", "pods deleting",
                "nodeclaims Drained=Unknown/Draining", "pods phase Failed",
                // Karpenter waits for no pod whose phase says that it has ended.
                "nodeclaims Drained=True/Drained", "nodes gone", "nodeclaims gone"});
}

TEST(CalibrationAcrossObjects, a_second_machine_comes_up_while_the_first_is_drained) {
  expect_chain("taken-away", {"nodeclaims deleting", "nodes deleting", "pods deleting", "pods-2 exists",
                              "pods-2 PodScheduled=False/Unschedulable", "nodeclaims-2 exists", "nodes-2 exists",
                              "nodes-2 label karpenter.sh/registered", "pods-2 bound", "pods-2 phase Running"});
}

TEST(CalibrationAcrossObjects, an_empty_machine_goes_and_the_finished_pod_after_it) {
  expect_chain("completed", {"pods phase Succeeded", "nodeclaims Consolidatable=True/Consolidatable",
                             "nodes taint karpenter.sh/disrupted:NoSchedule", "nodeclaims deleting", "nodes deleting",
                             "nodeclaims Drained=True/Drained", "nodes gone", "nodeclaims gone", "pods gone"});
}

TEST(CalibrationAcrossObjects, a_deleted_node_takes_its_claim_along_before_its_pod) {
  expect_chain("node-deleted", {"nodes deleting", "nodeclaims deleting", "pods deleting", "pods phase Failed",
                                "nodeclaims Drained=True/Drained", "nodes gone", "nodeclaims gone"});
}

TEST(CalibrationAcrossObjects, a_pod_removed_by_force_leaves_its_machine_empty) {
  expect_chain("pod-forced", {"pods phase Running", "pods gone", "nodeclaims Consolidatable=True/Consolidatable",
                              "nodes taint karpenter.sh/disrupted:NoSchedule", "nodeclaims deleting", "nodes deleting",
                              "nodes gone", "nodeclaims gone"});
}

TEST(CalibrationAcrossObjects, a_machine_goes_when_its_volume_is_detached) {
  expect_chain("volume", {"pods bound", "volumeattachments exists", "volumeattachments attached", "nodeclaims deleting",
                          "pods phase Failed", "volumeattachments deleting", "volumeattachments gone",
                          "nodeclaims VolumesDetached=True/VolumesDetached", "nodes gone"});
}

}  // namespace
}  // namespace reprise::calibration
