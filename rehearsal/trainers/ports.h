// Free ports of this machine, one for each gang that meets.
#pragma once

#include <map>
#include <string>

namespace reprise::rehearsal {

// A port that nobody listens on now; 0 when the machine has none to give.
[[nodiscard]] int free_port();

class GangPorts {
 public:
  // Always the same port for the same gang.
  [[nodiscard]] int of(const std::string& gang) {
    const auto [found, fresh] = ports_.try_emplace(gang, 0);
    if (fresh) found->second = free_port();
    return found->second;
  }

 private:
  std::map<std::string, int> ports_;
};

}  // namespace reprise::rehearsal
