#include "simulator/scenarios/people/hasty_confirmation.h"

#include <vector>

#include "simulator/scenarios/run/chance.h"
#include "simulator/scenarios/workload/share_trainers.h"

namespace reprise::simulator {
namespace {

// Longer than the operator waits for a silent machine.
constexpr double silent_from = 480, silent_to = 900;
// An older writer's heartbeats are watched for two and a half of five seconds.
constexpr double looks_for = 12;
constexpr double hangs_from = 5, hangs_to = 60;

}  // namespace

HastyConfirmation::HastyConfirmation(Actors& actors, runtime::Random& random)
    : actors_(actors),
      random_(random),
      confirmations_(actors.cluster, random, FaultKind::HastyConfirmation),
      timers_(actors.cluster.loop) {}

std::optional<std::string> HastyConfirmation::inject() {
  std::vector<ShareTrainer> chances = trainers_on_shares(actors_);
  std::erase_if(chances, [this](const ShareTrainer& each) { return confirmations_.contains(each.job_uid); });
  if (chances.empty()) return std::nullopt;
  const ShareTrainer chosen = pick(random_, chances);
  silent_[chosen.job_uid] = chosen.machine;
  confirmations_.add(chosen.job_uid, chosen.attempt, [this, volume = chosen.volume] {
    timers_.after(seconds(0, looks_for), [this, volume] { hang_for_a_while(volume); });
  });
  actors_.silence(chosen.machine);
  timers_.after(seconds(silent_from, silent_to), [this, chosen] {
    actors_.silence(chosen.machine, false);
    silent_.erase(chosen.job_uid);
    confirmations_.remove(chosen.job_uid);
  });
  return chosen.machine;
}

void HastyConfirmation::hang_for_a_while(const std::string& volume) {
  actors_.cluster.log.add("fault", "HastyConfirmation: " + volume + " hangs");
  hanging_.insert(volume);
  actors_.stick_volume(volume);
  timers_.after(seconds(hangs_from, hangs_to), [this, volume] {
    hanging_.erase(volume);
    actors_.stick_volume(volume, false);
  });
}

void HastyConfirmation::end() {
  timers_.cancel_all();
  confirmations_.end();
  for (const auto& [job, machine] : silent_) actors_.silence(machine, false);
  for (const std::string& volume : hanging_) actors_.stick_volume(volume, false);
  silent_.clear();
  hanging_.clear();
}

Duration HastyConfirmation::seconds(double low, double high) {
  return between(random_, low, high, Duration{1'000});
}

}  // namespace reprise::simulator
