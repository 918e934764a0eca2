#include "agent/process/private_directory.h"

#include <cstdlib>
#include <system_error>

namespace reprise::agent {

PrivateDirectory::PrivateDirectory(const std::vector<std::filesystem::path>& places) {
  for (const auto& place : places) {
    std::string directory = (place / "reprise-XXXXXX").string();
    if (::mkdtemp(directory.data()) == nullptr) continue;
    path_ = directory;
    return;
  }
}

// The trainer may have left files of its own there.
PrivateDirectory::~PrivateDirectory() {
  std::error_code problem;
  if (!path_.empty()) std::filesystem::remove_all(path_, problem);
}

}  // namespace reprise::agent
