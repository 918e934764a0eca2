// A cloud's notices about this machine's future, in the words that go to the cluster. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::node_agent {

enum class NoticeKind { SpotInterruption, InstanceTermination, ScheduledMaintenance, RebalanceRecommendation };

inline constexpr NoticeKind kAllKinds[] = {NoticeKind::SpotInterruption, NoticeKind::InstanceTermination,
                                           NoticeKind::ScheduledMaintenance, NoticeKind::RebalanceRecommendation};

struct Notice {
  NoticeKind kind = NoticeKind::SpotInterruption;
  std::string said;                                 // by whom and in which words, for people
  std::optional<std::chrono::sys_seconds> at = {};  // when the machine goes, or a recommendation was made
  bool operator==(const Notice&) const = default;
};

struct Wording {
  std::string_view taint;   // protocol/node_taints.h
  std::string_view effect;  // the taint's
  std::string_view reason;  // the Event's
  std::string_view type;    // the Event's: Warning, or Normal
};
[[nodiscard]] Wording wording_of(NoticeKind kind);

// The findings of one look. A document that could not be read withdraws nothing.
struct Seen {
  std::vector<Notice> notices;
  std::string problem;  // the first document that could not be read, and why; empty: all were
  bool unwell = false;  // the service does not answer, or says that it has too much to do: it is asked less often
  [[nodiscard]] bool complete() const { return problem.empty(); }
};

// Maintenance is announced hours ahead; it becomes a notice when it is so near, or its time is not told.
inline constexpr std::chrono::minutes kMaintenanceLead{10};
[[nodiscard]] bool is_near(const std::optional<std::chrono::sys_seconds>& at, runtime::WallTime now);

}  // namespace reprise::node_agent
