// SHA-256 (FIPS 180-4) of bytes as they come, with the processor's instructions for it where it has them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace reprise::agent {

class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void add(std::string_view bytes);
  // The sum in lower-case hex; no bytes can be added after it.
  [[nodiscard]] std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reprise::agent
