// The cloud: machines by the hour, on demand and spot, and the end of spot machines when a zone runs short.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/actors/karpenter/instance_types.h"
#include "simulator/actors/karpenter/spot_market.h"
#include "simulator/actors/node/kubelets.h"

namespace reprise::simulator {

struct Offering {
  const InstanceType* type = nullptr;
  std::string zone, capacity_type;  // "spot" | "on-demand"
  std::int64_t micro_usd_per_hour = 0;
};

struct Instance {
  std::string id, node;  // providerID; the name of its machine
  Offering offering;
  Duration launched{0};
  std::optional<Duration> ended = {};    // gone: nothing runs, nothing is paid
  std::optional<Duration> noticed = {};  // when its notice was sent
  bool ending = false;
};

// The fate of a machine that the cloud says it has launched.
enum class LaunchTrouble {
  None,
  NeverRegisters,    // runs and is paid for, but no kubelet speaks
  NeverInitialises,  // is Ready, but its devices never show
  NobodyTolerates,   // is initialised, with a taint that no pod tolerates
};

struct CloudSettings {
  std::vector<std::string> zones{"us-west-2a", "us-west-2b", "us-west-2c"};
  std::vector<InstanceType> types = instance_types_of_catalog();
  Duration notice{120'000};  // for spot: AWS two minutes, Azure and GCP 30 s
  // From the launch to the kubelet's registration: a GPU image boots in some 40 s.
  Duration boot{40'000};
  // From the request to end a machine until the provider says that it is gone (shutting-down).
  Duration shut_down{15'000};
};

class Cloud final : public Actor {
 public:
  Cloud(const World& world, Kubelets& kubelets, const SpotMarket& market, CloudSettings settings);

  [[nodiscard]] const CloudSettings& settings() const { return settings_; }
  // All offerings, at today's prices, available or not.
  [[nodiscard]] std::vector<Offering> offerings() const;
  [[nodiscard]] bool available(const Offering& offering) const;
  // The next change of any zone's spot.
  [[nodiscard]] std::optional<Duration> next_change() const;
  // nullptr: InsufficientInstanceCapacity, the market's or set_out_of_capacity()'s. `shape`: labels, taints and name of
  // the node to be.
  const Instance* launch(const Offering& offering, MachineShape shape);
  void terminate(const std::string& id);
  [[nodiscard]] const Instance* find(const std::string& id) const;
  [[nodiscard]] const Instance* of_node(const std::string& node) const;
  // Every machine that ever was, for bills.
  [[nodiscard]] const std::map<std::string, Instance>& instances() const { return instances_; }

  // A spot machine is called back: noticed now (unless the notice is lost), off after the notice.
  void interrupt(const std::string& id, Duration notice, bool noticed = true);
  // `listener` hears of each notice that is not lost.
  void on_notice(std::function<void(const Instance&)> listener) { on_notice_ = std::move(listener); }
  void on_gone(std::function<void(const Instance&)> gone) { gone_ = std::move(gone); }
  void on_market(std::function<void()> changed) { market_changed_ = std::move(changed); }

  // ---- faults
  // Launches fail there, although the market has capacity; running machines go on. Undone with false.
  void set_out_of_capacity(const std::string& zone, const std::string& capacity_type, bool out = true);
  // Befalls the next machine that is launched.
  void trouble_next_launch(LaunchTrouble trouble) { next_trouble_ = trouble; }
  // Befalls each machine of that capacity type that is launched from now on; empty: of any. Undone with None.
  void trouble_launches(LaunchTrouble trouble, std::string capacity_type) {
    lasting_trouble_ = trouble;
    troubled_type_ = std::move(capacity_type);
  }

 private:
  [[nodiscard]] LaunchTrouble trouble_of(const Offering& offering);
  [[nodiscard]] int running_spot(const std::string& zone) const;
  void watch_market();
  void reclaim(const std::string& zone);
  void end(const std::string& id);

  World world_;
  Kubelets& kubelets_;
  const SpotMarket& market_;
  CloudSettings settings_;
  std::map<std::string, Instance> instances_;  // by id
  std::map<std::string, std::string> by_node_;
  std::set<std::pair<std::string, std::string>> out_of_capacity_;  // zone, capacity type
  LaunchTrouble next_trouble_ = LaunchTrouble::None, lasting_trouble_ = LaunchTrouble::None;
  std::string troubled_type_;
  std::function<void(const Instance&)> on_notice_ = [](const Instance&) {};
  std::function<void(const Instance&)> gone_ = [](const Instance&) {};
  std::function<void()> market_changed_ = [] {};
  std::uint64_t launches_ = 0;
  Timers timers_;
};

}  // namespace reprise::simulator
