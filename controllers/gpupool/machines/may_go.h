// Tells whether a node may be given back now, for all that uses it. Pure.
//
// Karpenter drains, with evictions, a pod that has no job and does not ask to stay. A job is moved when it has just
// saved: then the save that its trainers are asked for while the node is drained costs little, and where it does not
// end in time no more is lost than kJustSaved and the drain.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/gpupool/decide/observation.h"

namespace reprise::controllers::gpupool {

// A checkpoint that is as fresh as this when it is known: ranks report it within seconds, and statuses with reports are
// written each 30 s, later where thousands of jobs report.
inline constexpr std::chrono::minutes kJustSaved(2);
// A job that was moved is left where it is for this long.
inline constexpr std::chrono::hours kMovedOnceIn(1);

// All jobs of a node have to have saved: each has kJustSaved times their number, and times this at the most.
inline constexpr std::size_t kMostTimes = 4;

// Says why a job is not to be moved now; empty: all its ranks train, and in this attempt one of them has saved a
// checkpoint, complete and durable, that is no older than `within`.
[[nodiscard]] std::string why_not_just_saved(const api::ResumableJob& job, kube::Time now,
                                             std::chrono::seconds within = kJustSaved);

struct MayGo {
  enum class Answer { Now, AtCheckpoint, Kept };
  Answer answer = Answer::Now;
  std::string why = {};                       // for the other answers
  bool is_used = false;                       // by a job
  std::optional<kube::Time> look_again = {};  // when time alone may change the answer
};

// For one pass. The observation that it was made of outlives it.
class NodeUsers {
 public:
  explicit NodeUsers(const Observation& seen);
  [[nodiscard]] MayGo may_go(const kube::Node& node) const;

 private:
  [[nodiscard]] const api::ResumableJob* job_of(const kube::Pod& pod) const;
  [[nodiscard]] MayGo may_be_moved(const kube::Pod& pod, std::chrono::seconds within) const;

  const Observation& seen_;
  std::map<std::string_view, std::vector<const kube::Pod*>> pods_;  // by node
};

}  // namespace reprise::controllers::gpupool
