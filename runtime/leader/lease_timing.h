// How long a lease holds and how often it is renewed: client-go's names and constants.
#pragma once

#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::runtime {

// Longer: fewer requests at rest (one of the leader and about half of one of each follower per retry_period), and
// longer until another process takes over from one that died without giving the lease back. Replicas may differ, as
// they do while a change rolls out: a follower waits for what the holder wrote into the Lease, or its own if longer.
struct LeaseTiming {
  Duration lease_duration{15'000};  // whole seconds: so it is written
  Duration renew_deadline{10'000};  // a leader that has not renewed for so long gives up
  Duration retry_period{2'000};     // between two attempts; followers wait up to 2.2 times as long

  // A holder counts the lease shorter by this margin: the clocks of two machines may differ in rate by one in thirty.
  [[nodiscard]] Duration margin() const;
  bool operator==(const LeaseTiming&) const = default;
};

// Followers believe in no longer lease: a duration of years, typed by hand, must not keep the lease from everyone.
inline constexpr Duration kLongestLease{600'000};

// Invalid: names the found and the allowed value. Needed: kLongestLease >= lease_duration > renew_deadline + margin(),
// renew_deadline > 1.2 retry_period, retry_period >= 100 ms.
[[nodiscard]] Result<void> check(const LeaseTiming& timing);

}  // namespace reprise::runtime
