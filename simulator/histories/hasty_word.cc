#include "simulator/histories/hasty_word.h"

#include <utility>
#include <vector>

#include "simulator/histories/confirmation.h"
#include "simulator/histories/share_trainers.h"

namespace reprise::simulator {
namespace {

// Longer than the operator waits for a silent machine.
constexpr double silent_from = 480, silent_to = 900;
// An older writer's beats are watched for two and a half of five seconds.
constexpr double looks_for = 12;
constexpr double hangs_from = 5, hangs_to = 60;

}  // namespace

HastyWord::HastyWord(Actors& actors, runtime::Random& random)
    : actors_(actors),
      random_(random),
      jobs_(actors.cluster.api.resource("reprise.dev", "resumablejobs")),
      pods_(actors.cluster.api.resource("", "pods")),
      timers_(actors.cluster.loop) {
  subscription_ = actors.cluster.api.subscribe([this](const ObjectChange& change) { see(change); });
}

std::optional<std::string> HastyWord::strike() {
  std::vector<std::pair<std::string, Case>> chances;
  for (const ShareTrainer& each : trainers_on_shares(actors_))
    if (!cases_.contains(each.job_uid))
      chances.emplace_back(each.job_uid, Case{.machine = each.machine, .volume = each.volume, .attempt = each.attempt});
  if (chances.empty()) return std::nullopt;
  auto [job, begun] = chances[static_cast<std::size_t>(random_.uniform() * static_cast<double>(chances.size()))];
  const std::string machine = begun.machine;
  cases_[job] = std::move(begun);
  actors_.silence(machine);
  timers_.after(seconds(silent_from, silent_to), [this, job = job, machine] {
    actors_.silence(machine, false);
    cases_.erase(job);
  });
  return machine;
}

void HastyWord::see(const ObjectChange& change) {
  if (cases_.empty() || change.change == Change::Deleted) return;
  if (change.resource == jobs_) {
    if (const auto found = cases_.find(uid_of(*change.object)); found != cases_.end())
      see_job(*change.object, found->second);
  } else if (change.resource == pods_ && change.before && runs(*change.object) && !runs(*change.before)) {
    if (const auto found = cases_.find(job_uid_of(*change.object)); found != cases_.end())
      see_pod(*change.object, found->second);
  }
}

void HastyWord::see_job(const Value& job, Case& of) {
  const auto word = awaited_confirmation(job);
  if (of.said || !word) return;
  of.said = true;
  timers_.after(seconds(1, 5),
                [this, word = *word, ns = std::string(namespace_of(job)), name = std::string(name_of(job))] {
                  say("a person confirms for " + name);
                  confirm(actors_.cluster.api, ns, name, word);
                });
}

void HastyWord::see_pod(const Value& pod, Case& of) {
  if (of.held || attempt_of(pod) <= of.attempt) return;
  of.held = true;
  timers_.after(seconds(0, looks_for), [this, volume = of.volume] {
    say(volume + " hangs");
    hanging_.insert(volume);
    actors_.stick_volume(volume);
    timers_.after(seconds(hangs_from, hangs_to), [this, volume] {
      hanging_.erase(volume);
      actors_.stick_volume(volume, false);
    });
  });
}

void HastyWord::end() {
  timers_.cancel_all();
  for (const auto& [job, each] : cases_) actors_.silence(each.machine, false);
  for (const std::string& volume : hanging_) actors_.stick_volume(volume, false);
  cases_.clear();
  hanging_.clear();
}

Duration HastyWord::seconds(double low, double high) {
  return Duration{static_cast<Duration::rep>((low + (high - low) * random_.uniform()) * 1'000)};
}

void HastyWord::say(const std::string& what) {
  actors_.cluster.log.add("fault", "HastyWord: " + what);
}

}  // namespace reprise::simulator
