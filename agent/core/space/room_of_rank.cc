#include "agent/core/space/room_of_rank.h"

#include <cstddef>
#include <string>
#include <vector>

#include "agent/core/fencing/attempts.h"
#include "agent/core/space/filler.h"

namespace reprise::agent {
namespace {

// A record has some KB.
constexpr std::size_t kRoom = std::size_t{32} << 10U;

}  // namespace

void keep_room(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self) {
  const auto kind = files.kind();
  if (!kind || kind->object_store) return;
  static_cast<void>(files.rewrite(layout.room(self.attempt, self.index), filler(kRoom)));
}

runtime::Result<void> write_into_room(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self,
                                      std::string_view record) {
  return files.write_into(layout.room(self.attempt, self.index), layout.record(self.attempt, self.index), record);
}

void give_up_room(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self) {
  const auto kind = files.kind();
  if (!kind || kind->object_store) return;
  static_cast<void>(files.remove(layout.room(self.attempt, self.index)));
}

void give_up_former_room(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self) {
  const auto kind = files.kind();
  if (!kind || kind->object_store) return;
  const auto attempts = files.list(layout.attempts());
  for (const std::string& attempt : attempts.value_or(std::vector<std::string>())) {
    if (attempt_of(attempt) == self.attempt) continue;
    const auto names = files.list(layout.attempts() / attempt);
    for (const std::string& name : names.value_or(std::vector<std::string>()))
      if (name.ends_with(".room")) static_cast<void>(files.remove(layout.attempts() / attempt / name));
  }
}

}  // namespace reprise::agent
