#include "agent/core/space/reserve.h"

#include <cstddef>

#include "agent/core/space/filler.h"

namespace reprise::agent {

void keep_reserve(const Volume& volume, std::int64_t free_bytes) {
  const auto kind = volume.files.kind();
  if (free_bytes < kEnough || !kind || kind->fuse) return;
  const auto there = volume.files.look(volume.layout.reserve(), Links::Stay);
  if (!there || *there) return;
  static_cast<void>(
      volume.files.write(volume.layout.reserve(),
                         filler(static_cast<std::size_t>(free_bytes < kPlenty ? kReserve / 16 : kReserve)), Sync::No));
}

void give_up_reserve(const Volume& volume) {
  const auto free = volume.files.free_space(volume.layout.root);
  if (free && free->bytes < kReserve) static_cast<void>(volume.files.remove(volume.layout.reserve()));
}

}  // namespace reprise::agent
