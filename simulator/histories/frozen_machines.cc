#include "simulator/histories/frozen_machines.h"

#include <cmath>
#include <vector>

#include "simulator/histories/confirmation.h"
#include "simulator/histories/share_trainers.h"

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

FrozenMachines::FrozenMachines(Actors& actors, runtime::Random& random)
    : actors_(actors),
      random_(random),
      jobs_(actors.cluster.api.resource("reprise.dev", "resumablejobs")),
      pods_(actors.cluster.api.resource("", "pods")),
      timers_(actors.cluster.loop) {
  subscription_ = actors.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

std::optional<std::string> FrozenMachines::strike() {
  if (random_.uniform() < share_called_off)
    if (auto machine = call_off()) return machine;
  return freeze_any();
}

std::optional<std::string> FrozenMachines::call_off() {
  std::vector<ShareTrainer> chances = trainers_on_shares(actors_);
  std::erase_if(chances, [this](const ShareTrainer& each) {
    return cases_.contains(each.job_uid) || still_.contains(each.machine);
  });
  if (chances.empty()) return std::nullopt;
  const ShareTrainer& chosen = pick(random_, chances);
  cases_[chosen.job_uid] = {.machine = chosen.machine, .attempt = chosen.attempt};
  const Duration lasts = seconds(called_off_from, called_off_to);
  timers_.after(lasts, [this, job = chosen.job_uid] { cases_.erase(job); });
  freeze(chosen.machine, lasts);
  return chosen.machine;
}

std::optional<std::string> FrozenMachines::freeze_any() {
  std::vector<std::string> on;
  for (const auto& [name, kubelet] : actors_.machines.all())
    if (kubelet->on() && !still_.contains(name)) on.push_back(name);
  if (on.empty()) return std::nullopt;
  const std::string machine = pick(random_, on);
  const double lasts = shortest * std::pow(longest / shortest, random_.uniform());
  freeze(machine, Duration{static_cast<Duration::rep>(lasts * 1'000)});
  return machine;
}

void FrozenMachines::freeze(const std::string& machine, Duration for_so_long) {
  still_.insert(machine);
  actors_.stand_still(machine);
  timers_.after(for_so_long, [this, machine] { go_on(machine); });
}

void FrozenMachines::go_on(const std::string& machine) {
  if (still_.erase(machine) == 0) return;
  silent_.insert(machine);
  actors_.silence(machine);
  actors_.stand_still(machine, false);
  timers_.after(seconds(0, reconnects_within), [this, machine] { speak(machine); });
}

void FrozenMachines::speak(const std::string& machine) {
  if (silent_.erase(machine) > 0) actors_.silence(machine, false);
}

void FrozenMachines::see(const ObjectChange& change) {
  if (cases_.empty() || change.change == Change::Deleted) return;
  if (change.resource == jobs_) {
    if (const auto found = cases_.find(uid_of(*change.object)); found != cases_.end())
      see_job(*change.object, found->second);
  } else if (change.resource == pods_ && change.before && runs(*change.object) && !runs(*change.before)) {
    if (const auto found = cases_.find(job_uid_of(*change.object)); found != cases_.end())
      see_pod(*change.object, found->second);
  }
}

void FrozenMachines::see_job(const Value& job, Case& of) {
  const auto word = awaited_confirmation(job);
  if (of.said || !word) return;
  of.said = true;
  timers_.after(seconds(1, 5),
                [this, word = *word, ns = std::string(namespace_of(job)), name = std::string(name_of(job))] {
                  actors_.cluster.log.add("fault", "MachineFrozen: a person confirms for " + name);
                  confirm(actors_.cluster.api, ns, name, word);
                });
}

void FrozenMachines::see_pod(const Value& pod, Case& of) {
  if (of.next_runs || attempt_of(pod) <= of.attempt) return;
  of.next_runs = true;
  timers_.after(seconds(0, goes_on_within), [this, machine = of.machine] { go_on(machine); });
}

void FrozenMachines::end() {
  timers_.cancel_all();
  cases_.clear();
  while (!still_.empty()) go_on(std::string(*still_.begin()));
  timers_.cancel_all();
  while (!silent_.empty()) speak(std::string(*silent_.begin()));
}

Duration FrozenMachines::seconds(double low, double high) {
  return Duration{static_cast<Duration::rep>((low + (high - low) * random_.uniform()) * 1'000)};
}

}  // namespace reprise::simulator
