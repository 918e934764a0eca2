// Who else may still be writing to the volume: every heartbeat without an end record beside it.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/identity.h"
#include "agent/volume_files.h"
#include "agent/volume_layout.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// One heartbeat of somebody else that has not ended.
struct Sighting {
  std::string who;   // for people: "attempt 3 index 0 of this job (pod UID ...)"
  std::string file;  // tells sightings apart
  std::string text;  // changes while its writer lives
  std::chrono::milliseconds period{};
};

// Other ranks of the same attempt are no strangers; a pod of the same attempt and index with another UID is.
[[nodiscard]] runtime::Result<std::vector<Sighting>> sight_writers(const VolumeFiles& files, const VolumeLayout& layout,
                                                                   const Identity& self);

// Decides over repeated sightings whether they are all still. Pure: time is handed in.
class WriterWatch {
 public:
  enum class Verdict { Clear, Wait, Refuse };

  // A heartbeat counts as still after two periods (its own or ours, the longer) and a half; a volume on which one still
  // moves after ten is refused. Looks are to be four a period: where two are more than one and a half apart, the volume
  // did not answer; that time counts for neither, and stillness begins anew.
  explicit WriterWatch(std::chrono::milliseconds own_period) : own_period_(own_period) {}

  [[nodiscard]] Verdict see(runtime::Instant now, const std::vector<Sighting>& sightings);
  // Of a refusal: who still writes and what to do.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  struct Seen {
    std::string text;
    runtime::Instant since;
  };
  void leave_out(runtime::Instant now, runtime::Instant::duration gap);

  std::chrono::milliseconds own_period_;
  std::optional<runtime::Instant> start_, last_look_;
  std::map<std::string, Seen> seen_;
  std::string refusal_;
};

}  // namespace reprise::agent
