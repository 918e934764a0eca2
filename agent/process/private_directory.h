// A directory that this pod alone has, for what agent and trainer tell each other. Gone with this object.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::agent {

class PrivateDirectory {
 public:
  // In the first of `places` where one can be made.
  explicit PrivateDirectory(const std::vector<std::filesystem::path>& places);
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  ~PrivateDirectory();

  // Empty: none could be made.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace reprise::agent
