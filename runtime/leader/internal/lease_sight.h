// Conclusions that an elector may draw from the leases it has seen. Times are this process's own: the lease's time of
// day is never looked at.
#pragma once

#include <optional>
#include <string>

#include "runtime/leader/internal/lease_json.h"

namespace reprise::runtime {

enum class LeaseVerdict {
  Take,  // write it: nobody else holds it, or it is ours already
  Wait,  // somebody else holds it, or may still believe so
  Lost,  // we led, and somebody else holds it
};

// One thread.
class LeaseSight {
 public:
  LeaseSight(std::string identity, Duration own_duration)
      : identity_(std::move(identity)), own_duration_(own_duration) {}

  // The lease as the server gave it at `now`.
  void saw(const LeaseRecord& lease, Instant now);
  // There is no lease. A former holder may not have noticed: the wait goes on.
  void saw_none() { record_.reset(); }

  [[nodiscard]] LeaseVerdict judge(bool leading, Instant now) const;
  [[nodiscard]] const std::optional<LeaseRecord>& record() const { return record_; }

 private:
  std::string identity_;
  Duration own_duration_;
  std::optional<LeaseRecord> record_;
  Instant others_until_{};  // nobody who held the lease before can believe to hold it after this
};

}  // namespace reprise::runtime
