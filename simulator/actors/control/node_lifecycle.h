// The node lifecycle controller: calls silent nodes NotReady and taints them; the taint eviction controller sends their
// pods away.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "simulator/actors/node/kubelets.h"

namespace reprise::simulator {

class NodeLifecycle final : public Actor {
 public:
  NodeLifecycle(const World& world, Kubelets& kubelets);

  // kube-controller-manager: --node-monitor-grace-period 50s (40s before 1.32), --node-monitor-period 5s; kubelet: a
  // lease of 40 s renewed every 10 s. Silence is called 40 to 55 s after it began.
  static constexpr Duration kGrace{50'000}, kPeriod{5'000}, kRenewal{10'000};
  static constexpr Duration kLatency{100};

 private:
  void see(const ObjectChange& change);
  void speech(const std::string& node);
  void call_silent(const std::string& node);
  void follow_condition(const std::string& node);
  void pods_not_ready(const std::string& node);

  World world_;
  Kubelets& kubelets_;
  std::map<std::string, std::unique_ptr<Wake>> silent_, following_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

// NoExecute taints: pods that do not tolerate them, or not for ever, are deleted.
class TaintEviction final : public Actor {
 public:
  explicit TaintEviction(const World& world);

  static constexpr Duration kLatency{100};

 private:
  void see(const ObjectChange& change);
  void look(const std::string& node);

  World world_;
  std::map<std::string, std::unique_ptr<Wake>> looks_;  // by node
  std::map<std::string, Duration> since_;               // node/taint -> when it was first seen
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
