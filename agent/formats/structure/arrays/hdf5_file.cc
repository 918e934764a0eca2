#include "agent/formats/structure/arrays/hdf5_file.h"

#include <limits>

#include "agent/formats/structure/little_endian.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kHdf5Mark{"\x89HDF\r\n\x1a\n", 8};
constexpr std::size_t kHdf5Head = 64, kVersionAt = 8, kWidth = 8;

// Places in the head that say the widths of offsets, where it begins to count, and where the file ends.
struct Hdf5Places {
  std::size_t width, base, end;
};

// Places by the version, from the HDF5 File Format Specification, II.A.
std::optional<Hdf5Places> hdf5_places(unsigned char version) {
  switch (version) {
    case 0:
      return Hdf5Places{.width = 13, .base = 24, .end = 40};
    case 1:
      return Hdf5Places{.width = 13, .base = 28, .end = 44};
    case 2:
    case 3:
      return Hdf5Places{.width = 9, .base = 12, .end = 28};
    default:
      return std::nullopt;
  }
}

}  // namespace

bool begins_as_hdf5(std::string_view head) {
  return head.starts_with(kHdf5Mark);
}

Flawed check_hdf5(const CheckedFile& file) {
  const auto head = file.bytes(0, kHdf5Head);
  if (!head) return std::unexpected(head.error());
  if (head->size() < kHdf5Head) return corrupt(file.name + ": its head is longer than the file");
  const auto places = hdf5_places(static_cast<unsigned char>((*head)[kVersionAt]));
  if (!places || little_endian(*head, places->width, 1) != kWidth) return std::nullopt;
  const std::uint64_t base = little_endian(*head, places->base, kWidth),
                      end = little_endian(*head, places->end, kWidth);
  if (end == 0 || end == std::numeric_limits<std::uint64_t>::max())
    return corrupt(file.name + ": was never closed by who wrote it");
  if (base > file.size || end > file.size - base)
    return corrupt(file.name + ": has " + std::to_string(file.size) + " bytes, and its head says " +
                   std::to_string(end));
  return std::nullopt;
}

}  // namespace reprise::agent
