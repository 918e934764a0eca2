// The address at which ranks are told to report, and the certificate that they shall trust there. Known once the
// operator serves reports; pods that are made before do not report.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace reprise::controllers::reports {

struct ReportTarget {
  std::string url;  // "https://10.96.0.12:9446"
  std::string certificate_pem;

  // The value of protocol::kReportToAnnotation.
  [[nodiscard]] std::string annotation() const;
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
    std::function<void()> tell;
    {
      const std::lock_guard lock(mutex_);
      target_ = std::move(next);
      tell = changed_;
    }
    if (tell) tell();
  }
  void on_change(std::function<void()> changed) {
    const std::lock_guard lock(mutex_);
    changed_ = std::move(changed);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const ReportTarget> target_;
  std::function<void()> changed_;
};

}  // namespace reprise::controllers::reports
