// A pool that keeps GPUs ready, for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/decide/decide.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool::testing {

inline const Settings kSettings{.own_namespace = "reprise-system", .agent_image = "reprise:1"};

// A pool and the pods that it has made, as the API server would hold them.
class Kept {
 public:
  explicit Kept(std::int32_t gpus, auto&& change) {
    seen_.pool = controllers::testing::MakePool("t4")
                     .with([&](auto& pool) {
                       pool.spec.warm_gpus = gpus;
                       pool.status.resource_name = "nvidia.com/gpu";
                       change(pool);
                     })
                     .get();
    seen_.now = controllers::testing::kStart;
  }
  explicit Kept(std::int32_t gpus) : Kept(gpus, [](auto&) {}) {}

  // Returns the actions, as a text each: "+t4-warm-0", "-t4-warm-1".
  std::vector<std::string> pass() {
    plan_ = decide(seen_, settings_);
    std::vector<std::string> done;
    for (const Action& action : plan_.actions) {
      if (const auto* create = std::get_if<CreateWarmPod>(&action)) {
        done.push_back("+" + create->pod_builder.name);
        add(create->pod_builder);
      } else if (const auto* remove = std::get_if<DeleteWarmPod>(&action)) {
        done.push_back("-" + remove->name);
        change(remove->name, [&](kube::Pod& pod) { pod.meta.deletion_timestamp = seen_.now; });
      }
    }
    return done;
  }
  void change(const std::string& name, auto&& how) {
    for (auto& pod : seen_.warm_pods) {
      if (pod->meta.name != name) continue;
      auto changed = std::make_shared<kube::Pod>(*pod);
      how(*changed);
      pod = std::move(changed);
    }
  }
  void gone(const std::string& name) {
    std::erase_if(seen_.warm_pods, [&](const auto& pod) { return pod->meta.name == name; });
  }
  void change_pool(auto&& how) {
    auto changed = std::make_shared<api::GpuPool>(*seen_.pool);
    how(*changed);
    seen_.pool = std::move(changed);
  }
  [[nodiscard]] std::string said(std::string_view type) const {
    const kube::Condition* found = find_condition(plan_.status.conditions, type);
    return found == nullptr ? std::string() : std::string(found->reason) + ": " + std::string(found->message);
  }

  Observation seen_;
  Settings settings_ = kSettings;
  Plan plan_;

 private:
  void add(const api::PodBuilder& made) {
    auto pod = std::make_shared<kube::Pod>();
    pod->meta.name = made.name;
    pod->meta.namespace_ = made.namespace_;
    pod->meta.uid = "uid-" + made.name + std::to_string(seen_.now.time_since_epoch().count());
    pod->meta.labels = made.labels;
    pod->meta.annotations = made.annotations;
    pod->meta.owner_references = {made.owner};
    pod->meta.creation_timestamp = seen_.now;
    pod->phase = kube::PodPhase::Pending;
    seen_.warm_pods.push_back(std::move(pod));
  }
};

}  // namespace reprise::controllers::gpupool::testing
