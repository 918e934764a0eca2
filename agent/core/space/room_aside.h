// The room that is held by what restores have put aside. On a volume that is nearly full it is said, and what nothing
// needs any more goes before a trainer starts: its first save may find no room otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/run/environment.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "protocol/reported_room.h"

namespace reprise::agent {

struct RoomAside {
  std::int64_t torn = 0;        // bytes below .reprise/torn
  std::int64_t quarantine = 0;  // below .reprise/quarantine
  std::int64_t unproven = 0;    // and below .reprise/unproven
  [[nodiscard]] std::int64_t all() const { return torn + quarantine + unproven; }
};
[[nodiscard]] RoomAside room_aside(const Volume& volume);
void tell(const RoomAside& aside, protocol::ReportedRoom& room);
// Text for people, with the way out; empty: nothing lies there.
[[nodiscard]] std::string in_words(const RoomAside& aside);

// Makes room where less is free than two saves like `resume` take, or less than was put aside: deletes directories that
// an earlier agent had decided to delete, and those torn saves for which a newer generation stands that is complete and
// shown to be durable (generations/outlived.h), by the same rules as a look that sees a new one. Lines for the record.
[[nodiscard]] std::vector<std::string> make_room_for_training(const Volume& volume, const Environment& env,
                                                              const Identity& self, const VolumeScan& scan,
                                                              const std::optional<Checkpoint>& resume);

}  // namespace reprise::agent
