// A file of a checkpoint that is about to be checked, or a part of one: its bytes by place, its size as seen once.
#pragma once

#include <cstdint>
#include <string>

#include "agent/volume/volume_files.h"

namespace reprise::agent {

struct CheckedFile {
  const VolumeFiles& files;
  VolumeFiles::Path path;
  std::string name;  // as reasons give it: below the checkpoint
  std::uint64_t size = 0;
  std::uint64_t begin = 0;  // beginning of a part of a file; else 0

  [[nodiscard]] runtime::Result<std::string> bytes(std::uint64_t offset, std::size_t length) const {
    return files.read_range(path, begin + offset, length);
  }
};

}  // namespace reprise::agent
