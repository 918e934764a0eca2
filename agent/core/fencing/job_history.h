// The volume tells this about the job's earlier attempts: when the first of them began, and whether any has trained.
#pragma once

#include <optional>
#include <string>

#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/core/watch/made_checkpoints.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

struct JobHistory {
  // The time when the earliest choice that is still there was published, by the volume's own times. Empty: there is
  // none, or the volume's times tell nothing.
  std::optional<runtime::WallTime> began{};
  bool has_trained = false;  // some attempt was allowed to start its trainer
};

// Reads the choices of the earliest attempts, up to the first that trained.
[[nodiscard]] runtime::Result<JobHistory> read_history(const Volume& volume, const Identity& self);

// The same, read when it is first asked for and once: each attempt has a file of its own.
class HistoryOnce {
 public:
  HistoryOnce(const Volume& volume, const Identity& self) : volume_(volume), self_(self) {}
  [[nodiscard]] runtime::Result<JobHistory> get() {
    if (!history_ || !*history_) history_ = read_history(volume_, self_);
    return *history_;
  }

 private:
  const Volume& volume_;
  const Identity& self_;
  std::optional<runtime::Result<JobHistory>> history_;
};

// True if an attempt of this job has made the checkpoint that bears that name and was written at that time: by the
// list, or, where no job has listed it, because it is younger than the job's first attempt and lies where the job
// saves, as far as that is known. Pure.
[[nodiscard]] bool is_own(const std::string& name, runtime::WallTime modified, const MadeCheckpoints& made,
                          const std::string& job_uid, const JobHistory& history);

}  // namespace reprise::agent
