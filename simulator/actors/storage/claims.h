// PersistentVolumeClaims: provisioning, binding, protection while in use, reclaiming. Part CSI provisioner, part
// kube-controller-manager.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulator/actors/storage/volumes.h"
#include "simulator/actors/support/pod_writes.h"

namespace reprise::simulator {

class ClaimController final : public Actor {
 public:
  // `zones`: the cluster's; a class with volumeBindingMode Immediate takes one of them by chance.
  ClaimController(const World& world, Volumes& volumes, std::vector<std::string> zones);

  // CreateVolume of a block store; a share is there at once.
  static constexpr Duration kProvision{3'000};
  static constexpr Duration kLatency{100};

 private:
  void see(const ObjectChange& change);
  void bind(const std::string& namespace_, const std::string& name);
  void provision(const Value& claim, const std::string& zone, bool shared);
  void protect(const std::string& namespace_, const std::string& name);
  // Reclaims the volume of a claim that is gone. A volume is kept for as long as it is attached (external-provisioner:
  // canDeleteVolume).
  void reclaim(const std::string& volume);
  [[nodiscard]] std::string zone_for(const Value& claim) const;

  World world_;
  Volumes& volumes_;
  std::vector<std::string> zones_;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
