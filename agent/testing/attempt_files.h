// Files that attempts leave on a volume, for tests.
#pragma once

#include <string>

#include "agent/core/fencing/fence.h"
#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/record/record.h"
#include "agent/core/restore/resume_point.h"
#include "agent/testing/temporary_directory.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent::testing_support {

inline void put_heartbeat(const VolumeLayout& layout, const Identity& who, std::uint64_t counter = 1) {
  put_text(layout.alive(who.attempt, who.index),
           encode_heartbeat({.who = who, .counter = counter, .period = std::chrono::seconds(1)}));
}

inline void put_end(const VolumeLayout& layout, const Identity& who) {
  Record record;
  record.job_uid = who.job_uid;
  record.pod_uid = who.pod_uid;
  record.attempt = who.attempt;
  record.index = who.index;
  put_text(layout.record(who.attempt, who.index), encode_record(record));
}

// All its ranks have ended and said so.
inline void put_ended_attempt(const VolumeLayout& layout, const std::string& job_uid, int attempt, int ranks) {
  for (int index = 0; index < ranks; ++index) {
    const Identity who{.job_uid = job_uid,
                       .pod_uid = std::to_string(attempt) + "-" + std::to_string(index),
                       .attempt = attempt,
                       .index = index};
    put_heartbeat(layout, who);
    put_end(layout, who);
  }
}

// Index 0 of that attempt has raised the fence and said what to resume from.
inline void put_published(const VolumeLayout& layout, const std::string& job_uid, int attempt) {
  put_text(layout.fence(), encode_fence({.job_uid = job_uid, .attempt = attempt}));
  put_text(layout.resume_point(attempt), encode_resume_point({.job_uid = job_uid, .attempt = attempt}));
}

}  // namespace reprise::agent::testing_support
