#include "runtime/leader/internal/lease_sight.h"

#include <algorithm>

#include "runtime/leader/lease_timing.h"

namespace reprise::runtime {
namespace {

// client-go's sign of a lease that was given back: no holder, and one second.
constexpr Duration released = std::chrono::seconds(1);

}  // namespace

void LeaseSight::saw(const LeaseRecord& lease, Instant now) {
  if (record_ && *record_ == lease) return;
  record_ = lease;
  if (lease.holder == identity_) return;
  if (lease.holder.empty() && lease.duration == released) {
    others_until_ = now;
    return;
  }
  // Waits also when a person took the holder's name out: the holder has not been asked.
  const Duration believed = std::clamp(lease.duration, own_duration_, std::max(own_duration_, kLongestLease));
  others_until_ = std::max(others_until_, now + believed);
}

LeaseVerdict LeaseSight::judge(bool leading, Instant now) const {
  const bool ours = record_ && record_->holder == identity_;
  const bool held = record_ && !record_->holder.empty();
  if (leading) return ours || !held ? LeaseVerdict::Take : LeaseVerdict::Lost;
  return ours || now >= others_until_ ? LeaseVerdict::Take : LeaseVerdict::Wait;
}

}  // namespace reprise::runtime
