// Requests a checkpoint of the trainer: by signal to those who handle it, and by the notice file.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/run/environment.h"
#include "agent/core/run/host.h"
#include "agent/core/save_step/save_agreement.h"
#include "agent/volume/volume_files.h"

namespace reprise::agent {

enum class NoticeReason { Stop, CheckpointRequest };

struct NoticeDelivery {
  bool by_signal = false;
  bool by_file = false;
  std::string problem;
  [[nodiscard]] bool any() const { return by_signal || by_file; }
};

[[nodiscard]] std::string encode_notice(NoticeReason reason, std::chrono::milliseconds time_left, std::int32_t attempt,
                                        std::int32_t request, const std::optional<SaveStep>& step = std::nullopt);

// `request` numbers the requests of this attempt, so that a trainer can tell them apart.
// `processes` are those below the agent, taken by the witness.
[[nodiscard]] NoticeDelivery deliver_notice(const Environment& env, const Host& host,
                                            const std::vector<Process>& processes, const VolumeFiles& files,
                                            NoticeReason reason, std::chrono::milliseconds time_left,
                                            std::int32_t request);
// Takes the notice file away: at the start (an earlier attempt's), and when a mere request for a checkpoint is met.
void remove_notice(const Environment& env, const VolumeFiles& files);

// The request that the operator makes by an annotation of the pod: its id. Empty: there is none, or it cannot be read
// now.
[[nodiscard]] std::optional<std::string> read_checkpoint_request(const Environment& env, const VolumeFiles& files);

}  // namespace reprise::agent
