#include "simulator/actors/karpenter/cloud.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace reprise::simulator {

Cloud::Cloud(const World& world, Kubelets& kubelets, const SpotMarket& market, CloudSettings settings)
    : world_(world), kubelets_(kubelets), market_(market), settings_(std::move(settings)), timers_(world.cluster.loop) {
  watch_market();
}

std::vector<Offering> Cloud::offerings() const {
  std::vector<Offering> all;
  for (const InstanceType& type : settings_.types) {
    for (const std::string& zone : settings_.zones) {
      const SpotState state = market_.state(zone, world_.cluster.loop.now());
      all.push_back({&type, zone, "spot", type.micro_usd_per_hour * state.price_permille / 1000});
      all.push_back({&type, zone, "on-demand", type.micro_usd_per_hour});
    }
  }
  return all;
}

int Cloud::running_spot(const std::string& zone) const {
  return static_cast<int>(std::ranges::count_if(instances_, [&](const auto& each) {
    const Instance& instance = each.second;
    return !instance.ended && !instance.noticed && !instance.ending && instance.offering.zone == zone &&
           instance.offering.capacity_type == "spot";
  }));
}

void Cloud::set_out_of_capacity(const std::string& zone, const std::string& capacity_type, bool out) {
  if (out)
    out_of_capacity_.emplace(zone, capacity_type);
  else
    out_of_capacity_.erase({zone, capacity_type});
}

bool Cloud::available(const Offering& offering) const {
  if (out_of_capacity_.contains({offering.zone, offering.capacity_type})) return false;
  if (offering.capacity_type != "spot") return true;
  return running_spot(offering.zone) < market_.state(offering.zone, world_.cluster.loop.now()).nodes;
}

std::optional<Duration> Cloud::next_change() const {
  std::optional<Duration> next;
  for (const std::string& zone : settings_.zones) {
    const auto change = market_.next_change(zone, world_.cluster.loop.now());
    if (change && (!next || *change < *next)) next = change;
  }
  return next;
}

void Cloud::watch_market() {
  const auto next = next_change();
  if (!next) return;
  timers_.after(*next - world_.cluster.loop.now(), [this] {
    for (const std::string& zone : settings_.zones) reclaim(zone);
    market_changed_();
    watch_market();
  });
}

// Calls back the surplus by chance when more machines run than the zone has.
void Cloud::reclaim(const std::string& zone) {
  const int nodes = market_.state(zone, world_.cluster.loop.now()).nodes;
  std::vector<std::string> running;
  for (const auto& [id, instance] : instances_)
    if (!instance.ended && !instance.noticed && !instance.ending && instance.offering.zone == zone &&
        instance.offering.capacity_type == "spot")
      running.push_back(id);
  while (static_cast<int>(running.size()) > nodes) {
    const auto index = static_cast<std::size_t>(world_.cluster.random.uniform() * static_cast<double>(running.size()));
    interrupt(running[index], settings_.notice);
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

LaunchTrouble Cloud::trouble_of(const Offering& offering) {
  const LaunchTrouble next = std::exchange(next_trouble_, LaunchTrouble::None);
  if (next != LaunchTrouble::None) return next;
  const bool lasts = troubled_type_.empty() || troubled_type_ == offering.capacity_type;
  return lasts ? lasting_trouble_ : LaunchTrouble::None;
}

const Instance* Cloud::launch(const Offering& offering, MachineShape shape) {
  if (!available(offering)) return nullptr;
  std::array<char, 24> number{};
  std::snprintf(number.data(), number.size(), "i-%017llx", static_cast<unsigned long long>(++launches_));
  const std::string id = "aws:///" + offering.zone + "/" + number.data();
  Instance& made = instances_[id];
  made = {.id = id, .node = shape.name, .offering = offering, .launched = world_.cluster.loop.now()};
  by_node_[shape.name] = id;
  shape.provider_id = id;
  shape.capacity = offering.type->capacity;
  shape.gpus = offering.type->gpus;
  world_.cluster.log.add("cloud", "launches " + shape.name + ": " + offering.type->name + " " + offering.capacity_type +
                                      " in " + offering.zone);
  const Duration boot = jittered(world_.cluster.random, settings_.boot, 0.3);
  switch (trouble_of(offering)) {
    case LaunchTrouble::None:
      break;
    case LaunchTrouble::NeverRegisters:
      world_.cluster.log.add("cloud", shape.name + " never comes up");
      return &made;
    case LaunchTrouble::NeverInitialises:
      world_.cluster.log.add("cloud", shape.name + " has no device plugin");
      shape.device_plugin = false;
      break;
    case LaunchTrouble::NobodyTolerates:
      world_.cluster.log.add("cloud", shape.name + " has a taint that nobody tolerates");
      shape.taints.push_back({"example.com/agent-not-ready", {}, "NoSchedule"});
      break;
  }
  timers_.after(boot, [this, id, machine = std::move(shape)]() mutable {
    if (!instances_.at(id).ended && !instances_.at(id).ending) kubelets_.add(std::move(machine));
  });
  return &made;
}

void Cloud::terminate(const std::string& id) {
  const auto found = instances_.find(id);
  if (found == instances_.end() || found->second.ended || std::exchange(found->second.ending, true)) return;
  timers_.after(jittered(world_.cluster.random, settings_.shut_down, 0.5), [this, id] { end(id); });
}

void Cloud::interrupt(const std::string& id, Duration notice, bool noticed) {
  const auto found = instances_.find(id);
  if (found == instances_.end() || found->second.ended) return;
  found->second.noticed = found->second.noticed.value_or(world_.cluster.loop.now());
  world_.cluster.log.add("cloud", "calls " + found->second.node + " back in " + std::to_string(notice.count()) + " ms" +
                                      (noticed ? "" : ", and nobody hears of it"));
  if (noticed) on_notice_(found->second);
  timers_.after(notice, [this, id] { end(id); });
}

void Cloud::end(const std::string& id) {
  Instance& instance = instances_.at(id);
  if (instance.ended) return;
  instance.ended = world_.cluster.loop.now();
  world_.cluster.log.add("cloud", instance.node + " is gone");
  kubelets_.remove(instance.node);
  gone_(instance);
}

const Instance* Cloud::find(const std::string& id) const {
  const auto found = instances_.find(id);
  return found == instances_.end() ? nullptr : &found->second;
}

const Instance* Cloud::of_node(const std::string& node) const {
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? nullptr : find(found->second);
}

}  // namespace reprise::simulator
