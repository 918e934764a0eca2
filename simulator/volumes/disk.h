// What lies on a checkpoint volume, and who can write to it now: the truth that the invariants look at. The actors that
// play kubelets, storage and agents change it; the operator never sees it.
//
// A write is first in the page cache of the machine it was made on and becomes durable with that machine's sync; power
// loss takes what was not durable.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::simulator {

struct TrainerId {
  std::string pod_uid, job_uid;
  std::int64_t attempt = 0;
  int rank = 0;
  friend auto operator<=>(const TrainerId&, const TrainerId&) = default;
};

struct DiskCheckpoint {
  std::int64_t step = 0;
  bool complete = false;     // false: torn
  bool quarantined = false;  // set aside by a restore
  std::string unsynced_on;   // machine that holds it in memory alone; empty: durable
  TrainerId by;
};

// .reprise/attempts/<n>/<rank>.json
struct DiskRecord {
  int exit_code = 0;
  std::int64_t step = 0;
  bool asked = false, saved = false, finished = false;
};

struct DiskAttempt {
  std::optional<std::int64_t> resume_step;  // published by rank 0; -1: from the start
  std::map<int, DiskRecord> records;
  std::map<int, std::uint64_t> beats;  // heartbeat counters by rank
};

struct Disk {
  std::string volume;                                  // PersistentVolume
  std::string zone;                                    // empty: every zone
  std::map<std::int64_t, DiskCheckpoint> checkpoints;  // by step
  std::map<std::int64_t, DiskAttempt> attempts;
  // Newest fence: {job UID, attempt}.
  std::string fence_job_uid;
  std::int64_t fence_attempt = 0;
  // Trainer processes that run now on a machine that has it mounted.
  std::set<TrainerId> writers;

  [[nodiscard]] std::optional<std::int64_t> newest_complete() const;  // not quarantined
  void sync(const std::string& machine);
  void lose_power(const std::string& machine);
};

}  // namespace reprise::simulator
