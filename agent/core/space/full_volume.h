// Tells if a trainer failed because its saves found no room on the volume: a pure decision over what is seen at its
// end.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/volume/volume_files.h"

namespace reprise::agent {

// A trainer that ended by itself with something else than success.
struct FailedTrainer {
  bool stopped = false;                     // somebody had asked it to end: a save may have broken off by that alone
  std::optional<FreeSpace> free{};          // at its end; empty: not known
  std::optional<std::int64_t> save_size{};  // bytes of the last complete save
  bool broke_off = false;                   // a save was begun after it, and none is whole
  std::int64_t broken_size = 0;             // bytes of that one that are there
  bool saved_nothing = false;               // no save has become complete since the trainer started
  bool looked =
      true;  // at the volume since its end; else what is the newest save, and whether it is whole, is not known
  std::string_view output{};          // its last lines
  std::string_view root{};            // root of the volume, as the trainer names it
  std::string_view volume_problem{};  // the error with which the volume has rejected the agent's own files; empty: none
};

[[nodiscard]] bool failed_for_want_of_room(const FailedTrainer& end);

// True if a line of an error says that something found no room, or had used up its quota.
[[nodiscard]] bool says_no_room(std::string_view line);

// The reason of an end that the volume has made necessary.
[[nodiscard]] std::string_view reason_of_volume(std::string_view problem);

}  // namespace reprise::agent
