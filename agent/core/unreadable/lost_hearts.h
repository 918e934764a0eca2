// Heartbeats that are there and cannot be read, since the storage has lost their bytes (lost_texts.h), or has them
// where only their writer's node sees them. Their time and size are kept elsewhere, and move for as long as somebody
// writes them: one of which both have stood still for ten periods, and that still gives an error then, is nobody's any
// more.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "agent/volume/volume_files.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

class LostHearts {
 public:
  using Path = std::filesystem::path;
  enum class State {
    ToBeRead,  // the heartbeat is not known to be lost, or was written since, or has stood still long enough to be read
               // once more
    Waits,     // somebody may write it
    GivenUp,   // nobody does
  };
  // Periods of stillness: as long as a volume is tried again at most, and four times as long as for a heart that can be
  // read.
  static constexpr int kStillPeriods = 10;

  // Before, an error is one.
  void judge_from_now_on(std::chrono::milliseconds own_period) { period_ = own_period; }
  [[nodiscard]] bool are_judged() const { return period_.has_value(); }
  // Reads those that were given up once more: somebody has written to the volume since, and so it answers.
  void read_once_more();

  // Looks without reading it. `answered` gives the time.
  [[nodiscard]] runtime::Result<State> look(const VolumeFiles& files, const Path& heart,
                                            const std::function<runtime::Instant()>& answered);
  // Notes that reading it gave an error.
  [[nodiscard]] runtime::Result<State> gave_error(const VolumeFiles& files, const Path& heart,
                                                  const std::function<runtime::Instant()>& answered);
  // A mark that moves while somebody writes it.
  [[nodiscard]] std::string mark_of(const Path& heart) const;

 private:
  struct Lost {
    std::string mark;
    runtime::Instant since, seen;
    bool is_given_up = false;
  };
  std::optional<std::chrono::milliseconds> period_;
  std::map<Path, Lost> lost_;
};

}  // namespace reprise::agent
