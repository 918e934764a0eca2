#include "agent/core/progress/hang_watch.h"

#include <algorithm>

namespace reprise::agent {

using std::chrono::milliseconds;

bool HangWatch::goes_on(const LifeSigns& signs) const {
  const bool prints = !signs.step && signs.printed != last_.printed;
  const bool grows = signs.saving && (signs.saving != last_.saving || signs.saving_bytes != last_.saving_bytes);
  const bool saved = signs.newest && signs.newest != last_.newest;
  return signs.waits_for_peers || signs.moves != last_.moves || prints || grows || saved;
}

milliseconds HangWatch::patience(const LifeSigns& signs) const {
  return signs.step ? options_.timeout : std::max(options_.timeout, options_.save_period * 2);
}

bool HangWatch::may_be_seen_yet(const LifeSigns& signs) {
  if (!awaited_) awaited_ = signs.look_begun + 1;
  return signs.look_begun > 0 && signs.look_ended < *awaited_ && silent_ < patience(signs) + kLongestLook;
}

std::optional<Hang> HangWatch::look(const LifeSigns& signs, runtime::Instant now) {
  const auto passed = std::chrono::duration_cast<milliseconds>(now - looked_);
  silent_ += std::clamp(passed, milliseconds(0), options_.timeout / 4);
  looked_ = now;
  if (goes_on(signs)) {
    silent_ = milliseconds(0);
    awaited_.reset();
  }
  last_ = signs;
  if (!options_.leads && !signs.stated) return std::nullopt;
  if (silent_ < patience(signs) || may_be_seen_yet(signs)) return std::nullopt;
  std::optional<std::int64_t> step = signs.step;
  if (signs.newest) step = std::max(step.value_or(signs.newest->step), signs.newest->step);
  return Hang{.silent = silent_, .step = step};
}

std::string describe(const Hang& hang) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(hang.silent).count();
  return "no newer step and no newer checkpoint for " + std::to_string(seconds) + " s; " +
         (hang.step ? "the last step was " + std::to_string(*hang.step) : std::string("no step is known"));
}

}  // namespace reprise::agent
