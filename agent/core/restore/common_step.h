// Reads what the operator says to ranks with a volume each (protocol/common_checkpoint.h), as annotations of the pod.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "agent/core/run/session.h"
#include "agent/volume/volume_files.h"
#include "protocol/common_checkpoint.h"

namespace reprise::agent {

struct SaidStep {
  std::optional<protocol::CommonStep> common;  // empty: the operator has not said it yet
  std::string why;                             // there is nothing, for people
};
// The step from which all ranks of this attempt resume.
[[nodiscard]] SaidStep read_resume_step(const VolumeFiles& files, const std::filesystem::path& annotations);

// The newest step that every rank is known to have, and durable. It never goes back: what was pruned for its sake is
// gone.
class StepOfAll {
 public:
  explicit StepOfAll(const std::optional<protocol::CommonStep>& resumed_from) { take(resumed_from); }
  // `said`: the annotation, still quoted; what is no step says nothing.
  std::optional<std::int64_t> see(const std::optional<std::string>& said);

 private:
  void take(const std::optional<protocol::CommonStep>& common);

  std::optional<std::int64_t> known_;
};

// Says it as often as it is called, from one thread at a time. Empty where this job's ranks agree on no step.
[[nodiscard]] std::function<std::optional<std::int64_t>()> follow_step_of_all(
    const Session& session, const std::optional<protocol::CommonStep>& resumed_from);

}  // namespace reprise::agent
