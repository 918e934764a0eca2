// That one run at a time writes into a directory: a lock on a file of it, which ends with the process however it ends.
#pragma once

#include <filesystem>

#include "runtime/base/error.h"

namespace reprise::apps {

class OutputLock {
 public:
  // Makes the file where it is not there. Conflict: another process has it, and which; Terminal: it cannot be made.
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
