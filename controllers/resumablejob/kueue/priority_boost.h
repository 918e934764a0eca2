// How much a job in a queue of Kueue would lose by being preempted, as Kueue takes it: a signed integer that is added
// to the priority of its Workload (kueue.x-k8s.io/priority-boost, KEP-7990).
//
// A boost only ever protects a job that trains. It is too small to reach the next priority class, and a job that waits
// has none, so that none preempts by it. (docs/decisions/queues/0066-preemption-cost.md)
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "api/resumable_job.h"

namespace reprise::controllers::resumablejob {

inline constexpr std::string_view kPriorityBoostAnnotation = "kueue.x-k8s.io/priority-boost";

// The boost of a job with at least so much training that no checkpoint holds yet.
struct BoostLevel {
  std::chrono::seconds unsaved;
  std::int32_t boost;
};
inline constexpr std::array kBoostLevels{BoostLevel{std::chrono::minutes(15), 1}, BoostLevel{std::chrono::hours(1), 2},
                                         BoostLevel{std::chrono::hours(4), 3}};
// A boost that was written stands for this long, while its job is admitted.
inline constexpr std::chrono::minutes kBoostStands{5};

[[nodiscard]] std::int32_t priority_boost(std::chrono::seconds unsaved);
// The amount of unsaved training with which the boost changes next; empty: it is the highest.
[[nodiscard]] std::optional<std::chrono::seconds> next_boost_after(std::chrono::seconds unsaved);

}  // namespace reprise::controllers::resumablejob
