// A small embedded cluster for the invariants of the actors, with short ways to make objects.
#pragma once

#include <boost/json/parse.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/actors/actors.h"
#include "simulator/actors/support/conditions.h"

namespace reprise::simulator::testing {

using std::chrono::minutes;
using std::chrono::seconds;

struct Scene {
  explicit Scene(std::uint64_t seed = 1, const SpotMarket* its_market = nullptr)
      : random(seed), market(its_market == nullptr ? steady : *its_market) {
    make("storage.k8s.io", "storageclasses", R"({"metadata":{"name":"block"},"volumeBindingMode":"WaitForFirstConsumer",
      "reclaimPolicy":"Delete","provisioner":"block"})");
    make("storage.k8s.io", "storageclasses", R"({"metadata":{"name":"share"},"volumeBindingMode":"Immediate",
      "reclaimPolicy":"Delete","provisioner":"share"})");
    make("scheduling.k8s.io", "priorityclasses",
         R"({"metadata":{"name":"reprise-standby"},"value":-10,"preemptionPolicy":"Never"})");
  }

  ObjectPtr make(std::string_view group, std::string_view plural, std::string_view json) {
    auto made = api.create(api.resource(group, plural), boost::json::parse(json));
    if (!made) throw std::runtime_error(made.error().message);
    return *made;
  }
  // A pod on machines of its own choice; `more` are further members of spec.
  ObjectPtr pod(const std::string& name, const std::string& more = R"("containers":[{"name":"c","image":"i"}])",
                const std::string& metadata = {}) {
    return make("", "pods",
                R"({"metadata":{"name":")" + name + R"(","namespace":"default")" + metadata +
                    R"(},"spec":{"restartPolicy":"Never",)" + more + "}}");
  }
  void node(const std::string& name, std::int64_t cpus = 4, Labels labels = {}, Taints taints = {}) {
    labels.try_emplace("topology.kubernetes.io/zone", "us-west-2a");
    actors->add_machine({.name = name,
                         .provider_id = {},
                         .labels = std::move(labels),
                         .taints = std::move(taints),
                         .capacity = {{"cpu", cpus * 1000}, {"memory", std::int64_t{16'000} << 30}}});
  }
  // Makes a NodePool for GPUs as the operator does; `disruption`: more members of spec.disruption.
  void pool(const std::string& name = "t4-spot", const std::string& capacity = "spot", int weight = 100,
            const std::string& limits = R"({"nvidia.com/gpu":"4"})") {
    make("karpenter.sh", "nodepools",
         R"({"metadata":{"name":")" + name + R"("},"spec":{"weight":)" + std::to_string(weight) + R"(,"limits":)" +
             limits +
             R"(,"disruption":{"consolidationPolicy":"WhenEmpty","consolidateAfter":"300s","budgets":[
             {"nodes":"100%","reasons":["Empty","Underutilized"]},{"nodes":"0","reasons":["Drifted"]}]},
             "template":{"metadata":{"labels":{"reprise.dev/pool":"t4"}},"spec":{
             "nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"default"},
             "expireAfter":"Never","terminationGracePeriod":"120s",
             "taints":[{"key":"nvidia.com/gpu","value":"true","effect":"NoSchedule"}],
             "requirements":[{"key":"karpenter.sh/capacity-type","operator":"In","values":[")" +
             capacity +
             R"("]},
             {"key":"karpenter.k8s.aws/instance-gpu-name","operator":"In","values":["t4"]}]}}}})");
  }
  ObjectPtr gpu_pod(const std::string& name, const std::string& more = {}, const std::string& metadata = {}) {
    return pod(name,
               gpu_container(R"("command":["train"])") +
                   R"(,"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists"}],)"
                   R"("nodeSelector":{"reprise.dev/pool":"t4"})" +
                   more,
               metadata);
  }
  static std::string gpu_container(const std::string& members) {
    return R"("containers":[{"name":"trainer","image":"trainer",)" + members +
           R"(,"resources":{"limits":{"nvidia.com/gpu":"1"},"requests":{"nvidia.com/gpu":"1"}}}])";
  }
  void claim(const std::string& name, const std::string& storage_class = "block",
             const std::string& mode = "ReadWriteOnce") {
    make("", "persistentvolumeclaims",
         R"({"metadata":{"name":")" + name + R"(","namespace":"default"},"spec":{"storageClassName":")" +
             storage_class + R"(","accessModes":[")" + mode + R"("],"resources":{"requests":{"storage":"50Gi"}}}})");
  }
  static std::string with_claim(const std::string& claim) {
    return R"("containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":")" +
           claim + R"("}}])";
  }

  [[nodiscard]] ObjectPtr find_pod(const std::string& name) const { return api.get({kinds.pods, "default", name}); }
  [[nodiscard]] std::string node_of(const std::string& name) const {
    const ObjectPtr found = find_pod(name);
    return found ? std::string(text(*found, {"spec", "nodeName"})) : std::string("no such pod");
  }
  [[nodiscard]] std::string phase_of(const std::string& name) const {
    const ObjectPtr found = find_pod(name);
    return found ? std::string(text(*found, {"status", "phase"})) : std::string("no such pod");
  }
  [[nodiscard]] std::vector<ObjectPtr> node_claims() const { return api.list(kinds.node_claims); }
  void run(Duration time) { loop.run_until(loop.now() + time); }
  // True when `so` held within that time.
  bool becomes(Duration within, const std::function<bool()>& so) {
    const Duration end = loop.now() + within;
    while (!so()) {
      const auto next = loop.next();
      if (!next || *next > end) return false;
      loop.step();
    }
    return true;
  }

  EventLoop loop;
  runtime::SeededRandom random;
  ApiServer api{loop, random};
  EventLog log{loop};
  Cluster cluster{loop, random, api, log};
  KindIds kinds{api};
  SteadySpotMarket steady;
  const SpotMarket& market;
  std::unique_ptr<Actors> actors = make_actors(cluster, market, {});
};

inline bool all_running(const Scene& scene, const std::vector<std::string>& pods) {
  return std::ranges::all_of(pods, [&](const std::string& pod) { return scene.phase_of(pod) == "Running"; });
}

}  // namespace reprise::simulator::testing
