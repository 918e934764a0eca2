// The agent's settings, read once from environment variables. A bad value is an error that names the variable,
// what was found and what is allowed; nothing is guessed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/error.h"

namespace reprise::agent {

enum class VolumeAccess { Shared, PerIndex };
enum class ResumePolicy { Latest, Never, FromScratch };

struct Environment {
  std::string job_uid;
  std::string pod_uid;
  std::int32_t attempt = 0;
  std::int32_t index = 0;
  std::int32_t parallelism = 1;
  std::int32_t devices = 0;    // GPUs of each rank; 0: none, or not known
  std::int32_t entries = 0;    // containers and init containers of the pod; 0: not known
  std::string checkpoint_dir;  // absolute
  VolumeAccess access = VolumeAccess::Shared;
  std::string format = "Auto";
  std::optional<std::int32_t> keep;  // complete checkpoints; empty: the agent deletes none
  bool verifies_in_full = false;     // full_verification.h
  std::chrono::milliseconds grace{30'000};
  ResumePolicy resume = ResumePolicy::Latest;
  std::optional<std::int32_t> from_scratch_since;  // the attempt with which FromScratch was requested
  std::optional<std::int64_t> expected_step;
  std::string expected_checkpoint;  // its directory; empty: not known
  int notice_signal = 0;            // 0: none
  std::string notice_file;
  std::string annotations_file;
  std::string termination_log = "/dev/termination-log";
  std::chrono::milliseconds heartbeat_period{5'000};
  std::chrono::milliseconds object_store_heartbeat_period{60'000};  // period where each heartbeat is a paid request
  std::string volume_type;                                          // type that a person says; empty: nothing
  bool trusts_sync = false;         // and that what is synced there has reached the storage
  bool puts_unproven_aside = true;  // proofs/unproven.h
  std::chrono::milliseconds watch{1'000};
  std::chrono::milliseconds resume_wait{1'800'000};
  std::string report_token_file;
  std::chrono::milliseconds report_period{10'000};
  std::string progress_pattern;  // pattern that compiles; empty: what common libraries print
  bool watch_output = true;
  std::chrono::milliseconds save_period{0};       // how often the trainer is to save; zero: not known
  std::chrono::milliseconds progress_timeout{0};  // silence after which a trainer hangs (hang_watch.h); zero: none ever
                                                  // does
  int hang_signal = 0;                            // signal to such a trainer before it is stopped; 0: none

  // Several ranks that share a volume: they run together or not at all.
  [[nodiscard]] bool is_gang() const { return parallelism > 1 && access == VolumeAccess::Shared; }
  // Several ranks with a volume each: the operator says from which step all resume (protocol/common_checkpoint.h).
  [[nodiscard]] bool agrees_on_step() const {
    return parallelism > 1 && access == VolumeAccess::PerIndex && resume != ResumePolicy::Never;
  }
  [[nodiscard]] bool makes_reports() const { return !report_token_file.empty() && !annotations_file.empty(); }
  [[nodiscard]] bool watches_for_hangs() const { return progress_timeout > std::chrono::milliseconds(0); }
  // Index 0 looks after a shared volume; on a volume of its own every index does.
  [[nodiscard]] bool is_volume_leader() const { return index == 0 || access == VolumeAccess::PerIndex; }
};

// Gives the value of a variable; nothing when it is not set. An empty value counts as not set.
using Lookup = std::function<std::optional<std::string>(std::string_view name)>;

[[nodiscard]] runtime::Result<Environment> read_environment(const Lookup& lookup);
// getenv(3).
[[nodiscard]] std::optional<std::string> process_environment(std::string_view name);

}  // namespace reprise::agent
