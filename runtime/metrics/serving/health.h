// Named checks behind /healthz (is this process worth keeping?) and /readyz (may it be counted on?).
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/error.h"

namespace reprise::runtime {

struct HealthReport {
  bool ok = true;
  std::string text;  // one line per check: "[+]ping ok", "[-]caches failed: Pod has not synced"
};

// Callable from any thread. Checks must not block.
class HealthChecks {
 public:
  using Check = std::function<Result<void>()>;
  void add(std::string name, Check check);
  [[nodiscard]] HealthReport run() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, Check>> checks_;
};

}  // namespace reprise::runtime
