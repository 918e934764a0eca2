// A rank tells the operator this while it runs, as protocol/live_report.h reads it: always within its bounds. A text
// that is too long is cut, a number that is out of range is left out.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/core/progress/progress.h"
#include "agent/formats/checkpoint.h"
#include "protocol/reported_room.h"
#include "protocol/reported_volume.h"

namespace reprise::agent {

enum class Activity { Restoring, WaitingForPeer, Training, Saving, Stopping };

struct LiveCheckpoint {
  Checkpoint checkpoint;  // complete and durable
  bool structure_only = false;
  std::optional<std::int64_t> size_bytes;
  std::optional<std::chrono::milliseconds> save;  // from the first sight of it to its durability
  std::chrono::milliseconds age{};                // time since then
  bool was_before = false;                        // the checkpoint was there before the trainer ran
};

struct LiveReport {
  std::int32_t attempt = 1;
  std::int32_t index = 0;
  Activity activity = Activity::Restoring;
  std::chrono::milliseconds activity_age{};
  std::string message;
  std::optional<LiveCheckpoint> checkpoint;
  std::optional<Progress::State> progress;
  std::optional<protocol::ReportedVolume> volume;
  std::optional<protocol::ReportedRoom> room;
  std::optional<std::int64_t> resumed_from{};
  // The checkpoints that the start of this attempt has put aside since nothing proves them: how many, and their highest
  // step.
  std::int32_t unproven = 0;
  std::optional<std::int64_t> unproven_step{};
};

[[nodiscard]] std::string encode_live_report(const LiveReport& report);

}  // namespace reprise::agent
