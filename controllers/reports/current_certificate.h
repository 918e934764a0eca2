// The certificate with which reports are received, as it is now: its provider renews it.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "runtime/metrics/serving/serving_certificate.h"

namespace reprise::controllers::reports {

// Any thread.
class CurrentCertificate {
 public:
  // Empty: there is none yet.
  [[nodiscard]] std::optional<runtime::ServingCertificate> get() const {
    const std::lock_guard lock(mutex_);
    return pair_;
  }
  void set(runtime::ServingCertificate pair) {
    const std::lock_guard lock(mutex_);
    pair_ = std::move(pair);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<runtime::ServingCertificate> pair_;
};

}  // namespace reprise::controllers::reports
