// Karpenter's end of a NodeClaim: taint, drain, volumes, the machine, and only then the objects.
//
// A NodeClaim that is gone proves that its machine is gone.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "simulator/actors/karpenter/node_pool.h"

namespace reprise::simulator {

class Termination final : public Actor {
 public:
  Termination(const World& world, Cloud& cloud);

  static constexpr Duration kLatency{300};
  // The garbage collector of claims whose machine vanished looks every two minutes.
  static constexpr Duration kCollect{120'000};
  // MinDrainTime (node/termination/controller.go).
  static constexpr Duration kLeastDrain{5'000};
  // From the end of a machine to the provider's answer that there is none.
  static constexpr Duration kAsk{5'000};

  // The cloud says that this machine is no more.
  void instance_gone(const Instance& instance);

 private:
  void see(const ObjectChange& change);
  void step_soon(const std::string& claim, Duration delay);
  // `name`: names the claim and its node.
  void step(const std::string& name);
  void begin(const Value& claim);
  void taint(const std::string& node);
  [[nodiscard]] bool drained(const Value& claim, const std::string& node);
  // True when nothing is left to wait for.
  bool drain(const Value& claim, const std::string& node);
  // True when it has VolumeAttachments other than those of pods that cannot be drained (node/termination/controller.go:
  // filterVolumeAttachments).
  [[nodiscard]] bool awaits_volumes(const std::string& node) const;
  void finish(const Value& claim);
  void condition(const std::string& claim, std::string_view type, std::string_view status, std::string_view reason);
  [[nodiscard]] std::optional<Duration> deadline(const Value& claim) const;

  World world_;
  Cloud& cloud_;
  std::map<std::string, std::unique_ptr<Wake>> steps_;  // by claim
  std::map<std::string, Duration> draining_since_;      // by claim
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
