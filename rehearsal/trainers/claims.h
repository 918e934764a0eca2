// The checkpoint claims of a rehearsal as directories of this machine.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace reprise::rehearsal {

class ClaimDirectories {
 public:
  explicit ClaimDirectories(std::filesystem::path below) : below_(std::move(below)) {}

  // Lets that directory stand for the claim, as it is.
  void use(const std::string& namespace_, const std::string& claim, std::filesystem::path directory) {
    placed_[namespace_ + "/" + claim] = std::move(directory);
  }
  // Makes a directory on the first call.
  [[nodiscard]] std::filesystem::path of(const std::string& namespace_, const std::string& claim) const {
    const auto found = placed_.find(namespace_ + "/" + claim);
    auto directory = found != placed_.end() ? found->second : below_ / (namespace_ + "-" + claim);
    std::error_code ignored;
    std::filesystem::create_directories(directory, ignored);
    return directory;
  }

 private:
  std::filesystem::path below_;
  std::map<std::string, std::filesystem::path> placed_;
};

}  // namespace reprise::rehearsal
