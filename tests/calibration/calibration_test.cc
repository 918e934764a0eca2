// The embedded cluster against a recording of the real control plane (kube-apiserver, controllers, scheduler, Karpenter
// with the kwok provider; kwok's stages play kubelet and machine). `record` says how it was made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "simulator/actors/testing/scene.h"
#include "tests/calibration/milestones.h"

namespace reprise::calibration {
namespace {

using simulator::Change;
using simulator::Value;
using simulator::testing::Scene;

std::vector<Milestone> recorded() {
  std::ifstream file(std::string(CALIBRATION_DIRECTORY) + "/gpu-pod.recorded");
  std::vector<Milestone> out;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) out.push_back(parse_line(line));
  return out;
}

std::vector<Milestone> simulated() {
  Scene scene;
  std::ifstream file(std::string(CALIBRATION_DIRECTORY) + "/gpu-pod.json");
  std::stringstream text;
  text << file.rdbuf();
  const Value scenario = boost::json::parse(text.str());
  const auto& items = simulator::array(scenario, {"items"});
  static_cast<void>(scene.api.create(scene.kinds.node_pools, items[0]));
  static_cast<void>(scene.api.create(scene.kinds.pods, items[1]));
  const auto ready = [&] {
    return scene.phase_of("trainer") == "Running" && !scene.node_claims().empty() &&
           simulator::is_true(*scene.node_claims().front(), "Initialized");
  };
  EXPECT_TRUE(scene.becomes(std::chrono::minutes(5), ready));
  scene.actors->delete_node_claim(std::string(simulator::name_of(*scene.node_claims().front())));
  EXPECT_TRUE(scene.becomes(std::chrono::minutes(5), [&] { return scene.node_claims().empty(); }));
  Milestones milestones;
  for (const auto& change : scene.api.changes_after(0)) {
    const std::string plural = scene.api.type(change.resource).plural;
    if (plural != "pods" && plural != "nodes" && plural != "nodeclaims") continue;
    const char* type = change.change == Change::Added      ? "ADDED"
                       : change.change == Change::Modified ? "MODIFIED"
                                                           : "DELETED";
    milestones.see(plural, type, *change.object);
  }
  return milestones.all();
}

// What differs, and why it may.
bool is_known_difference(const Milestone& milestone) {
  static const std::set<std::string> known{
      // kwok's machines are Ready with their first word and have all their devices; ours boot.
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
      // Karpenter shows a wait for volumes in passing.
      "nodeclaims VolumesDetached=Unknown/AwaitingVolumeDetachment",
  };
  return known.contains(milestone.kind + " " + milestone.fact);
}

std::vector<Milestone> compared(std::vector<Milestone> all) {
  std::erase_if(all, is_known_difference);
  return all;
}

std::vector<std::string> facts(const std::vector<Milestone>& all, const std::string& kind) {
  std::vector<std::string> out;
  for (const Milestone& each : all)
    if (each.kind == kind) out.push_back(each.fact);
  return out;
}

int write_of(const std::vector<Milestone>& all, const std::string& line) {
  for (const Milestone& each : all)
    if (each.kind + " " + each.fact == line) return each.write;
  ADD_FAILURE() << "never: " << line;
  return -1;
}

TEST(Calibration, every_object_goes_through_what_it_goes_through_on_the_real_control_plane) {
  const auto real = compared(recorded());
  const auto ours = compared(simulated());
  ASSERT_FALSE(real.empty());
  for (const char* kind : {"pods", "nodes", "nodeclaims"})
    EXPECT_THAT(facts(ours, kind), ::testing::UnorderedElementsAreArray(facts(real, kind))) << kind;
}

TEST(Calibration, and_in_the_same_order) {
  const auto real = compared(recorded());
  const auto ours = compared(simulated());
  for (std::size_t i = 0; i < real.size(); ++i) {
    for (std::size_t j = i + 1; j < real.size(); ++j) {
      // What comes with one write on one side may come with several on the other.
      if (real[i].kind != real[j].kind || real[i].write == real[j].write) continue;
      // Ready with the first word there, after the boot here; Karpenter registers what is there, ready or not.
      if (real[i].kind == "nodes" && real[i].fact == "Ready=True/KubeletReady") continue;
      const std::string before = real[i].kind + " " + real[i].fact;
      const std::string after = real[j].kind + " " + real[j].fact;
      EXPECT_LE(write_of(ours, before), write_of(ours, after)) << before << "\n" << after;
    }
  }
}

TEST(Calibration, across_objects_one_thing_leads_to_the_other) {
  const std::vector<std::string> chain{"pods PodScheduled=False/Unschedulable", "nodeclaims exists",
                                       "nodeclaims Launched=True/Launched", "nodes label karpenter.sh/registered",
                                       "pods bound", "pods phase Running", "nodeclaims deleting", "nodes deleting",
                                       "nodes taint karpenter.sh/disrupted:NoSchedule", "pods deleting",
                                       "nodeclaims Drained=Unknown/Draining", "pods phase Failed",
                                       // Karpenter waits for no pod whose phase says that it has ended.
                                       "nodeclaims Drained=True/Drained", "nodes gone", "nodeclaims gone"};
  for (const auto& all : {recorded(), simulated()})
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
      EXPECT_LT(write_of(all, chain[i]), write_of(all, chain[i + 1])) << chain[i] << "\n" << chain[i + 1];
}

}  // namespace
}  // namespace reprise::calibration
