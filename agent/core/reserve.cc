#include "agent/core/reserve.h"

#include <cstddef>
#include <string>

namespace reprise::agent {
namespace {

// What a file system can neither compress nor leave out.
std::string filler() {
  std::string bytes(static_cast<std::size_t>(kReserve), '\0');
  std::uint64_t state = 1;
  for (char& each : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    each = static_cast<char>(state >> 56U);
  }
  return bytes;
}

}  // namespace

void keep_reserve(const Volume& volume, std::int64_t free_bytes) {
  const auto kind = volume.files.kind();
  if (free_bytes < kPlenty || !kind || kind->fuse) return;
  const auto there = volume.files.look(volume.layout.reserve(), Links::Stay);
  if (!there || *there) return;
  static_cast<void>(volume.files.write(volume.layout.reserve(), filler(), Sync::No));
}

void give_up_reserve(const Volume& volume) {
  const auto free = volume.files.free_space(volume.layout.root);
  if (free && free->bytes < kReserve) static_cast<void>(volume.files.remove(volume.layout.reserve()));
}

}  // namespace reprise::agent
