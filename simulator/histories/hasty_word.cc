#include "simulator/histories/hasty_word.h"

#include <vector>

#include "simulator/histories/chance.h"
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
      called_off_(actors.cluster, random, FaultKind::HastyWord),
      timers_(actors.cluster.loop) {}

std::optional<std::string> HastyWord::strike() {
  std::vector<ShareTrainer> chances = trainers_on_shares(actors_);
  std::erase_if(chances, [this](const ShareTrainer& each) { return called_off_.contains(each.job_uid); });
  if (chances.empty()) return std::nullopt;
  const ShareTrainer chosen = pick(random_, chances);
  silent_[chosen.job_uid] = chosen.machine;
  called_off_.add(chosen.job_uid, chosen.attempt, [this, volume = chosen.volume] {
    timers_.after(seconds(0, looks_for), [this, volume] { hang_for_a_while(volume); });
  });
  actors_.silence(chosen.machine);
  timers_.after(seconds(silent_from, silent_to), [this, chosen] {
    actors_.silence(chosen.machine, false);
    silent_.erase(chosen.job_uid);
    called_off_.remove(chosen.job_uid);
  });
  return chosen.machine;
}

void HastyWord::hang_for_a_while(const std::string& volume) {
  actors_.cluster.log.add("fault", "HastyWord: " + volume + " hangs");
  hanging_.insert(volume);
  actors_.stick_volume(volume);
  timers_.after(seconds(hangs_from, hangs_to), [this, volume] {
    hanging_.erase(volume);
    actors_.stick_volume(volume, false);
  });
}

void HastyWord::end() {
  timers_.cancel_all();
  called_off_.end();
  for (const auto& [job, machine] : silent_) actors_.silence(machine, false);
  for (const std::string& volume : hanging_) actors_.stick_volume(volume, false);
  silent_.clear();
  hanging_.clear();
}

Duration HastyWord::seconds(double low, double high) {
  return between(random_, low, high, Duration{1'000});
}

}  // namespace reprise::simulator
