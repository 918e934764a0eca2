#include "simulator/histories/held_machines.h"

#include <cmath>
#include <vector>

#include "simulator/histories/confirmation.h"

namespace reprise::simulator {
namespace {

// From a live migration to a quarter of an hour of somebody's debugging; who is called off stands still until the
// operator asks.
constexpr double shortest = 20, longest = 900;
constexpr double called_off_from = 480, called_off_to = 900;
constexpr double share_called_off = 0.5;
// An older writer's beats are watched for two and a half of five seconds; then the trainers load.
constexpr double goes_on_within = 45;
// The kubelet's connections have died meanwhile; it finds out by its timeouts (HTTP/2: 30 s without a frame, 15 s for
// the answer to a ping).
constexpr double reconnects_within = 45;

template <class T>
const T& pick(runtime::Random& random, const std::vector<T>& of) {
  return of[static_cast<std::size_t>(random.uniform() * static_cast<double>(of.size()))];
}

}  // namespace

HeldMachines::HeldMachines(Actors& actors, runtime::Random& random, FaultKind kind)
    : actors_(actors),
      random_(random),
      kind_(kind),
      jobs_(actors.cluster.api.resource("reprise.dev", "resumablejobs")),
      pods_(actors.cluster.api.resource("", "pods")),
      timers_(actors.cluster.loop) {
  subscription_ = actors.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

std::optional<std::string> HeldMachines::strike() {
  std::optional<Place> place;
  if (random_.uniform() < share_called_off) place = call_off();
  if (!place) place = hold_any();
  if (!place) return std::nullopt;
  return place->volume.empty() ? place->machine : place->volume + " for " + place->machine;
}

std::vector<ShareTrainer> HeldMachines::chances() {
  std::vector<ShareTrainer> found = trainers_on_shares(actors_);
  std::erase_if(found, [this](const ShareTrainer& each) {
    return cases_.contains(each.job_uid) || held_.contains(each.machine);
  });
  return found;
}

std::optional<HeldMachines::Place> HeldMachines::call_off() {
  const std::vector<ShareTrainer> found = chances();
  if (found.empty()) return std::nullopt;
  const ShareTrainer& chosen = pick(random_, found);
  const bool freezes = kind_ == FaultKind::MachineFrozen;
  const Place place{.machine = chosen.machine, .volume = freezes ? std::string() : chosen.volume};
  cases_[chosen.job_uid] = {.machine = chosen.machine, .attempt = chosen.attempt};
  const Duration lasts = seconds(called_off_from, called_off_to);
  timers_.after(lasts, [this, job = chosen.job_uid] { cases_.erase(job); });
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
    for (const auto& [name, kubelet] : actors_.machines.all())
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

void HeldMachines::see(const ObjectChange& change) {
  if (cases_.empty() || change.change == Change::Deleted) return;
  if (change.resource == jobs_) {
    if (const auto found = cases_.find(uid_of(*change.object)); found != cases_.end())
      see_job(*change.object, found->second);
  } else if (change.resource == pods_ && change.before && runs(*change.object) && !runs(*change.before)) {
    if (const auto found = cases_.find(job_uid_of(*change.object)); found != cases_.end())
      see_pod(*change.object, found->second);
  }
}

void HeldMachines::see_job(const Value& job, Case& of) {
  const auto word = awaited_confirmation(job);
  if (of.said || !word) return;
  of.said = true;
  timers_.after(seconds(1, 5), [this, kind = name(kind_), word = *word, ns = std::string(namespace_of(job)),
                                job_name = std::string(name_of(job))] {
    actors_.cluster.log.add("fault", std::string(kind) + ": a person confirms for " + job_name);
    confirm(actors_.cluster.api, ns, job_name, word);
  });
}

void HeldMachines::see_pod(const Value& pod, Case& of) {
  if (of.next_runs || attempt_of(pod) <= of.attempt) return;
  of.next_runs = true;
  timers_.after(seconds(0, goes_on_within), [this, machine = of.machine] { go_on(machine); });
}

void HeldMachines::end() {
  timers_.cancel_all();
  cases_.clear();
  while (!held_.empty()) go_on(std::string(held_.begin()->first));
  timers_.cancel_all();
  while (!silent_.empty()) speak(std::string(*silent_.begin()));
}

Duration HeldMachines::seconds(double low, double high) {
  return Duration{static_cast<Duration::rep>((low + (high - low) * random_.uniform()) * 1'000)};
}

}  // namespace reprise::simulator
