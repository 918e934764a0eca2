// Where new pods are told to report, and whom they shall trust there. Known once the operator serves reports; pods that
// are made before do not report.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace reprise::controllers::reports {

struct ReportTarget {
  std::string url;  // "https://10.96.0.12:9446"
  std::string certificate_pem;
  bool operator==(const ReportTarget&) const = default;
};

// Any thread.
class CurrentTarget {
 public:
  // Null: nowhere.
  [[nodiscard]] std::shared_ptr<const ReportTarget> get() const {
    const std::lock_guard lock(mutex_);
    return target_;
  }
  void set(ReportTarget target) {
    auto next = std::make_shared<const ReportTarget>(std::move(target));
    const std::lock_guard lock(mutex_);
    target_ = std::move(next);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const ReportTarget> target_;
};

}  // namespace reprise::controllers::reports
