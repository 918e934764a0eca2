// Permits for tests.
#pragma once

#include <optional>

#include "runtime/base/write_permit.h"

namespace reprise::runtime::testing {

class TestPermits final : public PermitSource {
 public:
  [[nodiscard]] static WritePermit until(Instant valid_until) { return issue(valid_until); }
  [[nodiscard]] static WritePermit always() { return issue(Instant::max()); }

  // Empty: permit() fails with NoPermit.
  void set(std::optional<Instant> valid_until) { valid_until_ = valid_until; }
  [[nodiscard]] Result<WritePermit> permit() const override {
    if (!valid_until_) return fail(ErrorClass::NoPermit, "the test gave no permit");
    return issue(*valid_until_);
  }

 private:
  std::optional<Instant> valid_until_ = Instant::max();
};

}  // namespace reprise::runtime::testing
