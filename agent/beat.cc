#include "agent/beat.h"

#include "agent/heartbeat.h"

namespace reprise::agent {

Beat::Outcome Beat::next() {
  Outcome outcome;
  const auto file = layout_.alive(self_.attempt, self_.index);
  if (const auto text = files_.read(file); !text) {
    outcome.problem = text.error().message;
  } else if (*text && counter_ > 0) {
    // Read before write: of two pods with the same attempt and index, the one that came first gives way.
    const auto found = decode_heartbeat(**text);
    if (found && found->who.pod_uid != self_.pod_uid) {
      outcome.fenced = "pod UID " + found->who.pod_uid + " has taken over attempt " + std::to_string(self_.attempt) +
                       " index " + std::to_string(self_.index);
      return outcome;
    }
  }
  const Heartbeat beat{.who = self_, .counter = ++counter_, .period = period_};
  if (const auto written = files_.write(file, encode_heartbeat(beat), Sync::No); !written) {
    outcome.problem = written.error().message;
  }
  if (const auto fence = read_fence(files_, layout_); !fence) {
    outcome.problem = fence.error().message;
  } else {
    outcome.fenced = judge_.judge(*fence);
  }
  return outcome;
}

void Beat::own_fence_raised() {
  static_cast<void>(judge_.judge(Fence{.job_uid = self_.job_uid, .attempt = self_.attempt}));
}

bool owns_files(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self) {
  const auto text = files.read(layout.alive(self.attempt, self.index));
  if (!text) return false;
  const auto beat = *text ? decode_heartbeat(**text) : std::nullopt;
  return !*text || (beat && beat->who.pod_uid == self.pod_uid);
}

}  // namespace reprise::agent
