// The nodes that a pool has given back lately, as its status remembers them: what is deleted is written down first, so
// that neither a restart nor a lost answer forgets how many went. For records of status.health and status.drift.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/gpupool/decide/decide.h"

namespace reprise::controllers::gpupool {

// A record that was written by a clock that was ahead must not hold the pool until its time.
[[nodiscard]] inline bool is_near(kube::Time time, kube::Time now, std::chrono::seconds most) {
  return time > now - most && time < now + most;
}

template <class Record>
class GivenBack {
 public:
  static constexpr std::chrono::hours kWindow{1};
  static constexpr std::size_t kKept = 8;  // as the definition bounds both lists

  // `records`: the status that is being written, the newest last; it has to outlive this.
  GivenBack(std::vector<Record>& records, kube::Time now) : records_(records), now_(now) {}

  [[nodiscard]] std::ptrdiff_t within_an_hour() const {
    return within_an_hour([](const Record&) { return false; });
  }
  // Counts without the records that write_down() will take the place of.
  [[nodiscard]] std::ptrdiff_t within_an_hour(auto&& gives_way) const {
    return std::ranges::count_if(
        records_, [&](const Record& each) { return is_near(each.time, now_, kWindow) && !gives_way(each); });
  }

  // A record of the same NodeClaim gives way to this one.
  void write_down(Record record) {
    std::erase_if(records_, [&](const Record& each) { return each.node_claim == record.node_claim; });
    records_.push_back(std::move(record));
    if (records_.size() > kKept) records_.erase(records_.begin());
  }

  // Wakes the pool when the first record of the last hour is older than that.
  void wake_when_fewer(Plan& plan) const {
    for (const Record& each : records_) {
      if (is_near(each.time, now_, kWindow)) plan.wake_by(each.time + kWindow);
    }
  }

 private:
  std::vector<Record>& records_;
  kube::Time now_;
};

}  // namespace reprise::controllers::gpupool
