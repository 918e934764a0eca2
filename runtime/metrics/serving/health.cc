#include "runtime/metrics/serving/health.h"

namespace reprise::runtime {

void HealthChecks::add(std::string name, Check check) {
  const std::lock_guard lock(mutex_);
  checks_.emplace_back(std::move(name), std::move(check));
}

HealthReport HealthChecks::run() const {
  const std::lock_guard lock(mutex_);
  HealthReport report;
  for (const auto& [name, check] : checks_) {
    if (const auto result = check()) {
      report.text += "[+]" + name + " ok\n";
    } else {
      report.ok = false;
      report.text += "[-]" + name + " failed: " + result.error().message + "\n";
    }
  }
  return report;
}

}  // namespace reprise::runtime
