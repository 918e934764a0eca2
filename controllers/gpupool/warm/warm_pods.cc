#include "controllers/gpupool/warm/warm_pods.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/node_pools/overlays.h"
#include "controllers/gpupool/warm/warm_pod.h"

namespace reprise::controllers::gpupool {
namespace {

// A pod that a node turned away would be turned away again.
constexpr std::chrono::seconds kMadeAnewAfter(60);
constexpr std::size_t kMostActions = 50;

class Planner {
 public:
  Planner(const Observation& seen, Plan& plan) : seen_(seen), plan_(plan) {
    for (const auto& pod : seen.warm_pods) {
      taken_.insert(std::string(pod->meta.name));
      if (!owned_by(pod->meta, *seen.pool)) continue;
      pod->meta.deletion_timestamp ? count_going(*pod->meta.deletion_timestamp) : own_.push_back(pod.get());
    }
  }

  void delete_ended() {
    std::erase_if(own_, [&](const kube::Pod* pod) {
      if (!has_ended(*pod)) return false;
      const kube::Time due = pod->meta.creation_timestamp + kMadeAnewAfter;
      if (seen_.now >= due) {
        remove(*pod);
        return true;
      }
      plan_.wake_by(due);
      return false;
    });
  }
  void delete_made_otherwise(const api::PodBuilder& wanted) {
    const std::string_view made_of = wanted.annotations.find(kMadeOfAnnotation)->second;
    std::erase_if(own_, [&](const kube::Pod* pod) {
      if (pod->meta.annotation(kMadeOfAnnotation) == made_of) return false;
      remove(*pod);
      return true;
    });
  }
  // Deletes those first that hold no place.
  void delete_beyond(std::size_t wanted) {
    std::ranges::sort(own_, [](const kube::Pod* left, const kube::Pod* right) {
      if (left->node_name.empty() != right->node_name.empty()) return right->node_name.empty();
      return left->meta.name < right->meta.name;
    });
    for (; own_.size() > wanted; own_.pop_back()) remove(*own_.back());
  }
  void create_up_to(std::size_t wanted, const api::PodBuilder& model) {
    std::size_t have = own_.size() + going_;
    for (std::int32_t index = 0; have < wanted && has_room(); ++index) {
      std::string name = warm_pod_name(seen_.pool->meta.name, index);
      if (taken_.contains(name)) continue;
      api::PodBuilder pod = model;
      pod.name = std::move(name);
      plan_.actions.emplace_back(CreateWarmPod{std::move(pod)});
      ++have;
      ++actions_;
    }
  }

 private:
  // A deleted pod's place is free in a moment, so that nothing has to be rented for another one; but for a node that is
  // silent.
  void count_going(kube::Time deleted) {
    const kube::Time due = deleted + kMadeAnewAfter;
    if (seen_.now >= due) return;
    plan_.wake_by(due);
    ++going_;
  }
  // Each action wakes the next pass.
  [[nodiscard]] bool has_room() const { return actions_ < kMostActions; }
  void remove(const kube::Pod& pod) {
    if (!has_room()) return;
    plan_.actions.emplace_back(
        DeleteWarmPod{std::string(pod.meta.namespace_), std::string(pod.meta.name), std::string(pod.meta.uid)});
    ++actions_;
    ++going_;
  }

  const Observation& seen_;
  Plan& plan_;
  std::set<std::string> taken_;
  std::vector<const kube::Pod*> own_;
  std::size_t actions_ = 0, going_ = 0;
};

}  // namespace

void plan_warm_pods(const Observation& seen, const Settings& settings, WarmGpus warm, Plan& plan) {
  if (warm.wanted == 0 && seen.warm_pods.empty()) return;
  const auto wanted = static_cast<std::size_t>(warm.wanted);
  Planner planner(seen, plan);
  planner.delete_ended();
  if (wanted == 0) return planner.delete_beyond(0);
  const api::PodBuilder model = build_warm_pod(*seen.pool, settings);
  planner.delete_made_otherwise(model);
  planner.delete_beyond(wanted);
  if (warm.may_be_made) planner.create_up_to(wanted, model);
}

std::int32_t warm_gpus_ready(const Observation& seen) {
  return static_cast<std::int32_t>(std::ranges::count_if(seen.warm_pods, [&](const auto& pod) {
    return owned_by(pod->meta, *seen.pool) && pod->phase == kube::PodPhase::Running && !pod->meta.deletion_timestamp;
  }));
}

}  // namespace reprise::controllers::gpupool
