// Looks at a checkpoint volume of a rehearsal from outside, again and again: which checkpoints come, whole or torn.
// Trusts the disk alone, no report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/core/run/volume.h"

namespace reprise::rehearsal {

struct SeenCheckpoint {
  std::int64_t step = 0;
  runtime::WallTime time{};  // when its last piece was written; for a torn one: its newest file
  std::int64_t bytes = 0;
  bool complete = true;
  std::string name = {};    // its directory
  std::string format = {};  // the format by which it is known to be complete, "HuggingFace"
};

class VolumeWatch {
 public:
  // `format`: spec.checkpoint.format; an unknown one counts as Auto.
  VolumeWatch(std::filesystem::path directory, const std::string& format);

  // Complete checkpoints that have come or were written again since the last look, oldest first.
  [[nodiscard]] std::vector<SeenCheckpoint> look();
  // Call it at the end of an attempt: incomplete checkpoints that no earlier call has returned. The next start sets
  // them aside.
  [[nodiscard]] std::vector<SeenCheckpoint> torn();
  // Incomplete ones were there at the last look: they may be on their way.
  [[nodiscard]] bool incomplete() const { return incomplete_; }
  // Bytes of everything on the volume.
  [[nodiscard]] std::int64_t bytes() const;
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
  std::shared_ptr<agent::Volume> volume_;
  std::map<std::string, runtime::WallTime> complete_, torn_;  // by name, as last seen
  bool incomplete_ = false;
};

}  // namespace reprise::rehearsal
