// Is the job complete by spec.placement.completeBy, and which capacity has an attempt to ask for so that it is? Pure.
//
// An attempt that has no node yet waits for spot as long as on-demand capacity, asked for later, would still be in
// time: that is the safety net of controllers/placement/policy/safety_net.h, with which no deadline is missed as long
// as a changeover takes what it is taken for and on-demand capacity can be had. An attempt that has nodes is left
// alone. Once nothing can be in time any more, whatever comes first is taken.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "controllers/resumablejob/decide/observation.h"

namespace reprise::controllers::resumablejob {

// The time from asking for a node to the first new step: what controllers/placement/policy/types.h takes a changeover
// for, and no less than a machine takes to boot and the last start took from its first node on.
inline constexpr std::chrono::minutes kChangeover{12}, kBoot{4};

enum class InTime {
  NoDeadline,
  Unknown,        // nobody has said how much is left to do
  Yes,            // an attempt that waits may go on waiting for spot
  NeedsOnDemand,  // only if it gets on-demand capacity now
  No,             // not whatever is done
};

struct Schedule {
  InTime in_time = InTime::NoDeadline;
  std::optional<std::chrono::seconds> work_left;  // from the newest checkpoint, or the running attempt's
  std::optional<kube::Time> next_change;          // when time alone changes in_time while nothing trains
  std::string message;                            // stays the same while nothing is learned
};

[[nodiscard]] Schedule schedule_of(const Observation& seen, const api::ResumableJobStatus& status);

// "Spot", "OnDemand"; empty: what the pool prefers. Always empty for a job without a deadline, in a queue of Kueue, or
// in a pool that has but one of them.
[[nodiscard]] kube::Text capacity_to_request(const Observation& seen, const api::ResumableJobStatus& status);

// The time that a start may take, by kChangeover and what the last one took.
[[nodiscard]] std::chrono::seconds longest_changeover(const api::ResumableJobStatus& status);

// The ranks' word on it; empty: they have said nothing.
[[nodiscard]] std::optional<double> steps_per_second(const api::ProgressStatus& progress);
// A time that nobody can mean becomes the longest that can be counted with.
[[nodiscard]] std::chrono::seconds bounded_work(double seconds);

// Counts the training of an attempt that is closed, up to the checkpoint that it has made at that time: that work is
// done.
void count_trained(api::ResumableJobStatus& status, const api::AttemptEnd& end, kube::Time checkpoint_time);

}  // namespace reprise::controllers::resumablejob
