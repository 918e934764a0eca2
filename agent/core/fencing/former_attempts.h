// Folds what former attempts have left into one small file, .reprise/former.json, and removes it. Nothing of it is
// needed any more once an attempt trains: no start reads beyond the last attempt that did. Where the volume lets
// nothing be removed it stays, and costs a start nothing but its line in a listing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/fencing/writers.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// The numbers kept of one job.
struct FormerJob {
  std::string job_uid;
  std::int32_t through = 0;   // its attempts up to this one are in the numbers
  std::int64_t attempts = 0;  // attempts that left anything
  std::int64_t ranks = 0;
  std::int64_t unrecorded = 0;  // ranks that ended without a record
  bool operator==(const FormerJob&) const = default;
};

[[nodiscard]] std::string encode_former_jobs(const std::vector<FormerJob>& jobs);
[[nodiscard]] std::vector<FormerJob> decode_former_jobs(std::string_view text);

class FormerAttempts {
 public:
  // The newest attempts of its own job stay for people to look at.
  static constexpr std::int32_t kKept = 8;

  struct Options {
    Identity self;  // keeps the volume, and its trainer runs
    std::chrono::milliseconds heartbeat_period{5'000};
    std::function<bool()> may_write = [] { return true; };  // false once fenced
  };
  FormerAttempts(std::shared_ptr<const Volume> volume, const runtime::Clock& clock, Options options)
      : volume_(std::move(volume)), clock_(clock), options_(std::move(options)) {}

  // Some attempts, or one more look whether their last writers are silent. False: there is nothing more to do. From one
  // thread at a time.
  bool step();

 private:
  struct Left {
    std::int32_t attempt = 0;
    std::vector<std::string> files;
    std::vector<FormerJob> jobs;  // the jobs that left them: their ranks in this attempt
  };
  [[nodiscard]] bool begin();
  [[nodiscard]] bool next_batch();
  [[nodiscard]] std::optional<Left> read(std::int32_t attempt) const;
  [[nodiscard]] runtime::Result<void> note(const std::vector<Left>& batch) const;
  [[nodiscard]] runtime::Result<void> fold(const std::vector<Left>& batch) const;
  [[nodiscard]] bool owns_volume() const;

  std::shared_ptr<const Volume> volume_;
  const runtime::Clock& clock_;
  Options options_;
  bool begun_ = false;
  std::vector<std::int32_t> to_do_;  // the oldest last
  std::vector<std::int32_t> batch_;
  std::optional<WriterSearch> search_;
  std::optional<WriterWatch> watch_;
};

}  // namespace reprise::agent
