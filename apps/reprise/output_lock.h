// Lets one run at a time write into a directory: a lock on a file of it, which ends with the process however it ends.
#pragma once

#include <filesystem>

#include "runtime/base/error.h"

namespace reprise::apps {

class OutputLock {
 public:
  // Makes the file if it is missing. Conflict: names the process that has it; Terminal: it cannot be made.
  [[nodiscard]] static runtime::Result<OutputLock> take(const std::filesystem::path& file);
  OutputLock(OutputLock&& other) noexcept;
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;
  ~OutputLock();

 private:
  explicit OutputLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace reprise::apps
