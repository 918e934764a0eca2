// How much room the volume has for the saves of this job, how many of them lie there, and what `keep` would free. For
// who keeps the volume; of the thread that looks at it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "agent/core/generations/plan_pruning.h"
#include "agent/core/run/volume.h"
#include "protocol/reported_room.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

class RoomWatch {
 public:
  // `question`: as pruning would ask it. Nothing where the volume does not say what it has left. What is counted and
  // measured takes calls only where something is new, and where room is short.
  [[nodiscard]] std::optional<protocol::ReportedRoom> look(const Volume& volume, const PruneQuestion& question);
  // Whether look() would have more to say than what is left, where all else is as it was.
  [[nodiscard]] bool may_be_short(const std::optional<FreeSpace>& free) const;
  // Something was deleted: what lies there is measured anew where room is short.
  void note_deletion() { has_advised_ = false; }

 private:
  using Complete = std::map<std::pair<std::string, runtime::WallTime>, std::int64_t>;  // with their sizes
  [[nodiscard]] std::int64_t measure(const Volume& volume, const Generation& generation);
  void count(const Volume& volume, const PruneQuestion& question);
  void advise(const Volume& volume, PruneQuestion question);
  void note_growth(std::int64_t newest, std::int64_t generations);

  Complete sizes_;  // -1: not measured yet
  protocol::ReportedRoom room_;
  bool has_advised_ = false;
  std::optional<std::pair<std::int64_t, std::int64_t>> at_newest_;  // its step, and how many there were
  bool rotates_ = false;  // the trainer, or somebody: a newer one has not made them more
};

// Less free space than this is too little before long: for the save that comes, and for those by which their number
// still grows. Pure. `keep`: nothing, where nothing is deleted.
[[nodiscard]] std::int64_t needed_room(std::int64_t save_bytes, std::int64_t generations,
                                       std::optional<std::int32_t> keep, bool rotates);
// The value of `keep` that would be less than what is set; empty: there is none.
[[nodiscard]] std::optional<std::int32_t> smaller_keep(std::optional<std::int32_t> keep);

}  // namespace reprise::agent
