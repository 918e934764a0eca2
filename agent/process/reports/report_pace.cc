#include "agent/process/reports/report_pace.h"

#include <algorithm>

namespace reprise::agent {
namespace {

constexpr std::chrono::seconds kLongestAsked{60};
constexpr std::chrono::minutes kLongestWait{5};

}  // namespace

void ReportPace::answered(const AnswerHead& answer, runtime::Instant now) {
  if (answer.status / 100 == 2) {
    wait_ = {};
    const auto asked = std::min(answer.retry_after.value_or(std::chrono::seconds(0)), kLongestAsked);
    next_ = asked > first_wait_ ? now + asked : now;
    return;
  }
  if ((answer.status == 429 || answer.status == 503) && answer.retry_after) {
    next_ = now + std::min(*answer.retry_after, kLongestAsked);
    return;
  }
  wait_ = std::clamp<std::chrono::milliseconds>(wait_ * 2, first_wait_,
                                                std::max<std::chrono::milliseconds>(kLongestWait, first_wait_));
  next_ = now + wait_;
}

}  // namespace reprise::agent
