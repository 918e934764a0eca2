// A proxy in this process that knows CONNECT alone, for tests. One thread per tunnel.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace reprise::runtime::testing {

class ConnectProxy {
 public:
  ConnectProxy();
  ~ConnectProxy();
  ConnectProxy(const ConnectProxy&) = delete;
  ConnectProxy& operator=(const ConnectProxy&) = delete;

  [[nodiscard]] std::string url() const;
  // "127.0.0.1:6443" for each CONNECT so far.
  [[nodiscard]] std::vector<std::string> targets() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::runtime::testing
