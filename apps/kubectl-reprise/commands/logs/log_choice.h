// Chooses the logs to show. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/resumable_job.h"
#include "runtime/kube/pod.h"

namespace reprise::plugin {

struct LogChoice {
  std::optional<std::int32_t> attempt, index;
  bool all = false;  // logs of all attempts that still have pods; else of the last that has any
};

// Pods whose training container has begun, in order of attempt and index.
[[nodiscard]] std::vector<kube::Pod> with_logs(const std::vector<kube::Pod>& pods, const std::string& container,
                                               const LogChoice& choice);
// "1/0": attempt and index.
[[nodiscard]] std::string log_source(const kube::Pod& pod);
[[nodiscard]] std::string log_path(const kube::Pod& pod, const std::string& container, bool follow,
                                   const std::string& more);
// True when no more will be logged: the job has finished, or it is suspended and none of its pods run.
[[nodiscard]] bool is_over(const api::ResumableJob& job);

}  // namespace reprise::plugin
