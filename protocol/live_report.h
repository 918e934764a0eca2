// The report of a rank's agent to the operator while the rank runs: POST kLiveReportPath, one JSON object of at most
// kMaxLiveReportBytes, with the pod's own token as bearer. Nothing rests on it: the record of the end (record.h) makes
// good what is missing. This is the operator's side; the agent writes it with agent/core/progress/live_report.h, which
// links no JSON library of the operator.
//
// Agent and operator compare no clocks: the report says how long ago something was, and `time` of a checkpoint is the
// volume's.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/reported_room.h"
#include "protocol/reported_volume.h"
#include "runtime/kube/meta.h"

namespace reprise::protocol {

enum class RankActivity { Restoring, WaitingForPeer, Training, Saving, Stopping };
[[nodiscard]] std::string_view name(RankActivity activity);

// The newest checkpoint that is complete and durable, as a record has it.
struct ReportedCheckpoint {
  std::int64_t step = 0;
  std::string path;
  std::string common_name;  // as a record has it
  std::string format;
  std::optional<std::int64_t> size_bytes;
  std::optional<kube::Time> time;
  bool structure_only = false;
  std::optional<std::int64_t> save_seconds;  // from its first file to its durability, where that was watched
  std::int64_t age_seconds = 0;              // since it was seen to be durable
  bool before = false;                       // the checkpoint was there before the trainer ran
  static void fields(auto& self, auto& field) {
    field("step", self.step);
    field("path", self.path);
    field("commonName", self.common_name);
    field("format", self.format);
    field("sizeBytes", self.size_bytes);
    field("time", self.time);
    field("structureOnly", self.structure_only);
    field("saveSeconds", self.save_seconds);
    field("ageSeconds", self.age_seconds);
    field("before", self.before);
  }
  bool operator==(const ReportedCheckpoint&) const = default;
};

// The trainer's own word on its progress, in its progress file or in what it prints.
struct ReportedProgress {
  std::optional<std::int64_t> step, total_steps;
  std::optional<std::int32_t> percentage;  // 0 .. 100
  std::optional<std::int64_t> remaining_seconds;
  std::string steps_per_second;  // "2.5"; empty: not known
  std::int64_t age_seconds = 0;  // since it was said
  // The time since this trainer was first known to have passed a step: it has told of two, or of its speed. Empty: not
  // yet, or an agent that does not say.
  std::optional<std::int64_t> trained_seconds;
  static void fields(auto& self, auto& field) {
    field("step", self.step);
    field("totalSteps", self.total_steps);
    field("percentage", self.percentage);
    field("remainingSeconds", self.remaining_seconds);
    field("stepsPerSecond", self.steps_per_second);
    field("ageSeconds", self.age_seconds);
    field("trainedSeconds", self.trained_seconds);
  }
  bool operator==(const ReportedProgress&) const = default;
};

struct LiveReport {
  std::int32_t attempt = 0;
  std::int32_t index = 0;
  RankActivity activity = RankActivity::Training;
  std::int64_t activity_seconds = 0;  // for so long already
  std::string message;                // for people: what a restoring rank waits for
  std::optional<ReportedCheckpoint> checkpoint;
  std::optional<ReportedProgress> progress;
  std::optional<ReportedVolume> volume;  // from the rank that keeps it
  std::optional<ReportedRoom> room;      // likewise
  // The same as in a record.
  std::optional<std::int64_t> resumed_from, unproven, unproven_step;
  static void fields(auto& self, auto& field) {
    field("attempt", self.attempt);
    field("index", self.index);
    field("activity", self.activity);
    field("activitySeconds", self.activity_seconds);
    field("message", self.message);
    field("checkpoint", self.checkpoint);
    field("progress", self.progress);
    field("volume", self.volume);
    field("room", self.room);
    field("resumedFromStep", self.resumed_from);
    field("unproven", self.unproven);
    field("unprovenStep", self.unproven_step);
  }
  bool operator==(const LiveReport&) const = default;
};

// Text that is no such object is an error that names the field: a bound that is passed, a negative time, an activity
// that is none. Unknown fields are passed over: the agent may be newer.
[[nodiscard]] std::expected<LiveReport, kube::DecodeError> decode_live_report(std::string_view json);
[[nodiscard]] std::string encode_live_report(const LiveReport& report);

}  // namespace reprise::protocol
