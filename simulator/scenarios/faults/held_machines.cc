#include "simulator/scenarios/faults/held_machines.h"

#include <cmath>
#include <vector>

#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

// A machine stands still for as long as a live migration, up to a quarter of an hour of somebody's debugging; one whose
// end is confirmed stands still until the operator asks.
constexpr double shortest = 20, longest = 900;
constexpr double confirmed_from = 480, confirmed_to = 900;
constexpr double share_confirmed = 0.5;
// An older writer's heartbeats are watched for two and a half of five seconds; then the trainers load.
constexpr double goes_on_within = 45;
// The kubelet's connections have died meanwhile; it finds out by its timeouts (HTTP/2: 30 s without a frame, 15 s for
// the answer to a ping).
constexpr double reconnects_within = 45;

}  // namespace

HeldMachines::HeldMachines(Actors& actors, runtime::Random& random, FaultKind kind)
    : actors_(actors),
      random_(random),
      kind_(kind),
      confirmations_(actors.cluster, random, kind),
      timers_(actors.cluster.loop) {}

std::optional<std::string> HeldMachines::inject() {
  std::optional<Place> place;
  if (random_.uniform() < share_confirmed) place = hold_and_confirm();
  if (!place) place = hold_any();
  if (!place) return std::nullopt;
  return place->volume.empty() ? place->machine : place->volume + " for " + place->machine;
}

std::vector<ShareTrainer> HeldMachines::chances() {
  std::vector<ShareTrainer> found = trainers_on_shares(actors_);
  std::erase_if(found, [this](const ShareTrainer& each) {
    return confirmations_.contains(each.job_uid) || held_.contains(each.machine);
  });
  return found;
}

std::optional<HeldMachines::Place> HeldMachines::hold_and_confirm() {
  const std::vector<ShareTrainer> found = chances();
  if (found.empty()) return std::nullopt;
  const ShareTrainer chosen = pick(random_, found);
  const bool freezes = kind_ == FaultKind::MachineFrozen;
  const Place place{.machine = chosen.machine, .volume = freezes ? std::string() : chosen.volume};
  confirmations_.add(chosen.job_uid, chosen.attempt, [this, machine = chosen.machine] {
    timers_.after(seconds(0, goes_on_within), [this, machine] { go_on(machine); });
  });
  const Duration lasts = seconds(confirmed_from, confirmed_to);
  timers_.after(lasts, [this, job = chosen.job_uid] { confirmations_.remove(job); });
  // The network is gone, and the share with it.
  if (!freezes) {
    silent_.insert(place.machine);
    actors_.silence(place.machine);
  }
  hold(place, lasts);
  return place;
}

std::optional<HeldMachines::Place> HeldMachines::hold_any() {
  std::vector<Place> places;
  if (kind_ == FaultKind::MachineFrozen) {
    for (const auto& [name, kubelet] : actors_.kubelets.all())
      if (kubelet->on() && !held_.contains(name)) places.push_back({.machine = name});
  } else {
    for (const ShareTrainer& each : chances()) places.push_back({.machine = each.machine, .volume = each.volume});
  }
  if (places.empty()) return std::nullopt;
  const Place place = pick(random_, places);
  const double lasts = shortest * std::pow(longest / shortest, random_.uniform());
  hold(place, Duration{static_cast<Duration::rep>(lasts * 1'000)});
  return place;
}

void HeldMachines::hold(const Place& place, Duration for_so_long) {
  held_[place.machine] = place;
  if (place.volume.empty())
    actors_.stand_still(place.machine);
  else
    actors_.hang_volume(place.volume, place.machine);
  timers_.after(for_so_long, [this, machine = place.machine] { go_on(machine); });
}

void HeldMachines::go_on(const std::string& machine) {
  const auto node = held_.extract(machine);
  if (!node) return;
  const Place& place = node.mapped();
  if (place.volume.empty()) {
    silent_.insert(machine);
    actors_.silence(machine);
    actors_.stand_still(machine, false);
  } else {
    actors_.cluster.log.add("fault", "ShareHangs: " + place.volume + " answers " + machine);
    actors_.hang_volume(place.volume, machine, false);
  }
  timers_.after(seconds(0, reconnects_within), [this, machine] { speak(machine); });
}

void HeldMachines::speak(const std::string& machine) {
  if (silent_.erase(machine) > 0) actors_.silence(machine, false);
}

void HeldMachines::end() {
  timers_.cancel_all();
  confirmations_.end();
  while (!held_.empty()) go_on(std::string(held_.begin()->first));
  timers_.cancel_all();
  while (!silent_.empty()) speak(std::string(*silent_.begin()));
}

Duration HeldMachines::seconds(double low, double high) {
  return between(random_, low, high, Duration{1'000});
}

}  // namespace reprise::simulator
