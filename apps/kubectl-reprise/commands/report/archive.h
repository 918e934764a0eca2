// A .tar.gz in memory: few files, of a few megabytes together.
#pragma once

#include <string>
#include <vector>

#include "runtime/kube/time.h"

namespace reprise::plugin {

struct ArchivedFile {
  std::string name, content;  // names of at most 99 bytes
};

// Readable by the owner alone, all with one time.
[[nodiscard]] std::string tar_of(const std::vector<ArchivedFile>& files, kube::Time time);
// Empty when zlib fails, which it does without memory.
[[nodiscard]] std::string gzip_of(const std::string& bytes);

}  // namespace reprise::plugin
