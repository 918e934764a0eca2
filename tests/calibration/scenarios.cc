#include "tests/calibration/scenarios.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <sstream>

#include "api/testing/source_tree.h"
#include "simulator/actors/testing/scene.h"

namespace reprise::calibration {
namespace {

using simulator::Change;
using simulator::Value;
using simulator::testing::Scene;
using std::chrono::minutes;

constexpr const char* kZone = "topology.kubernetes.io/zone";

Value gpu_pod_items() {
  std::ifstream file(api::testing::source_tree() + "/tests/calibration/gpu-pod.json");
  std::stringstream text;
  text << file.rdbuf();
  return boost::json::parse(text.str()).at("items");
}

struct Play {
  void becomes(const char* what, const std::function<bool()>& so) {
    EXPECT_TRUE(scene.becomes(minutes(5), so)) << "never: " << what;
  }
  [[nodiscard]] bool gone(const std::string& claim) const {
    return !scene.api.get({scene.kinds.node_claims, "", claim});
  }
  // Returns the name of its claim, which is its node's too.
  std::string run_on_a_machine(const char* idle_after) {
    simulator::set(pool, {"spec", "disruption", "consolidateAfter"}, Value(idle_after));
    static_cast<void>(scene.api.create(scene.kinds.node_pools, pool));
    static_cast<void>(scene.api.create(scene.kinds.pods, pod));
    becomes("the pod running on an initialised machine", [this] {
      return scene.phase_of("trainer") == "Running" && !scene.node_claims().empty() &&
             simulator::is_true(*scene.node_claims().front(), "Initialized");
    });
    return scene.node_of("trainer");
  }

  Scene scene;
  Value pool = gpu_pod_items().at(0), pod = gpu_pod_items().at(1);
};

void gpu_pod(Play& play) {
  const std::string claim = play.run_on_a_machine("300s");
  play.scene.actors->delete_node_claim(claim);
  play.becomes("the NodeClaim gone", [&] { return play.gone(claim); });
}

void taken_away(Play& play) {
  Scene& scene = play.scene;
  const std::string claim = play.run_on_a_machine("300s");
  const auto zone = simulator::text(*scene.api.get({scene.kinds.nodes, "", claim}), {"metadata", "labels", kZone});
  Value second = play.pod;
  simulator::set(second, {"metadata", "name"}, Value("trainer-2"));
  const std::string elsewhere = R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{
    "nodeSelectorTerms":[{"matchExpressions":[{"key":")" +
                                std::string(kZone) + R"(","operator":"NotIn","values":[")" + std::string(zone) +
                                R"("]}]}]}}})";
  simulator::set(second, {"spec", "affinity"}, boost::json::parse(elsewhere));
  scene.actors->interrupt(claim, minutes(2));
  play.becomes("its pod told to end", [&] {
    const auto first = scene.find_pod("trainer");
    return !first || simulator::being_deleted(*first);
  });
  static_cast<void>(scene.api.create(scene.kinds.pods, std::move(second)));
  play.becomes("the second pod running", [&] { return scene.phase_of("trainer-2") == "Running"; });
  play.becomes("its machine initialised", [&] {
    const auto other = scene.api.get({scene.kinds.node_claims, "", scene.node_of("trainer-2")});
    return other && simulator::is_true(*other, "Initialized");
  });
  play.becomes("the first NodeClaim gone", [&] { return play.gone(claim); });
}

void completed(Play& play) {
  simulator::set(play.pod, {"metadata", "annotations", "simulate.reprise.dev/run-milliseconds"}, Value("60000"));
  const std::string claim = play.run_on_a_machine("5s");
  play.becomes("the pod done", [&] { return play.scene.phase_of("trainer") == "Succeeded"; });
  play.becomes("the NodeClaim gone", [&] { return play.gone(claim); });
  play.becomes("the pod gone", [&] { return !play.scene.find_pod("trainer"); });
}

void node_deleted(Play& play) {
  const std::string claim = play.run_on_a_machine("300s");
  play.scene.actors->delete_node_object(claim, false);
  play.becomes("the NodeClaim gone", [&] { return play.gone(claim); });
}

void pod_forced(Play& play) {
  const std::string claim = play.run_on_a_machine("5s");
  play.scene.actors->force_delete_pod("default", "trainer");
  play.becomes("the NodeClaim gone", [&] { return play.gone(claim); });
}

void volume(Play& play) {
  play.scene.claim("data");
  simulator::set(play.pod, {"spec", "volumes"},
                 boost::json::parse(R"([{"name":"data","persistentVolumeClaim":{"claimName":"data"}}])"));
  const std::string claim = play.run_on_a_machine("300s");
  play.scene.actors->delete_node_claim(claim);
  play.becomes("the NodeClaim gone", [&] { return play.gone(claim); });
}

const std::vector<std::pair<std::string, void (*)(Play&)>>& plays() {
  static const std::vector<std::pair<std::string, void (*)(Play&)>> all{
      {"gpu-pod", gpu_pod},           {"taken-away", taken_away}, {"completed", completed},
      {"node-deleted", node_deleted}, {"pod-forced", pod_forced}, {"volume", volume}};
  return all;
}

}  // namespace

std::vector<std::string> scenarios() {
  std::vector<std::string> names;
  for (const auto& [name, play] : plays()) names.push_back(name);
  return names;
}

std::vector<Milestone> recorded(const std::string& scenario) {
  std::ifstream file(api::testing::source_tree() + "/tests/calibration/" + scenario + ".recorded");
  std::vector<Milestone> out;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && !line.starts_with('#')) out.push_back(parse_line(line));
  return out;
}

std::vector<Milestone> simulated(const std::string& scenario) {
  Play play;
  for (const auto& [name, act] : plays())
    if (name == scenario) act(play);
  Milestones milestones;
  for (const auto& change : play.scene.api.changes_after(0)) {
    const std::string plural = play.scene.api.type(change.resource).plural;
    if (plural != "pods" && plural != "nodes" && plural != "nodeclaims" && plural != "volumeattachments") continue;
    const char* type = change.change == Change::Added      ? "ADDED"
                       : change.change == Change::Modified ? "MODIFIED"
                                                           : "DELETED";
    milestones.see(plural, type, *change.object);
  }
  return milestones.all();
}

}  // namespace reprise::calibration
