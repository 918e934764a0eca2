// The kubelets of all nodes; they hear of their pods from here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulator/actors/node/kubelet.h"

namespace reprise::simulator {

class Kubelets final : public Actor {
 public:
  Kubelets(const World& world, Volumes& volumes, Programs& programs);

  // Powers it on. Names are never used twice at the same time.
  Kubelet& add(MachineShape shape);
  // Turns the machine off and forgets it.
  void remove(const std::string& name);
  [[nodiscard]] Kubelet* find(const std::string& name);
  [[nodiscard]] const std::map<std::string, std::unique_ptr<Kubelet>>& all() const { return kubelets_; }
  // Called when a kubelet falls silent, speaks again, or its node is removed.
  void on_speech(std::function<void(const std::string& node)> changed) { speech_.push_back(std::move(changed)); }

 private:
  void see(const ObjectChange& change);

  World world_;
  Volumes& volumes_;
  Programs& programs_;
  std::map<std::string, std::unique_ptr<Kubelet>> kubelets_;
  std::vector<std::function<void(const std::string&)>> speech_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
