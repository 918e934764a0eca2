#include "agent/core/heartbeat_writer.h"

#include "agent/core/heartbeat.h"

namespace reprise::agent {
namespace {

// Reading a fence and writing one are two steps: whoever stood still in between writes over a newer attempt's.
bool is_lowered(const std::optional<Fence>& fence, const Identity& self) {
  return fence && fence->job_uid == self.job_uid && fence->attempt < self.attempt;
}

}  // namespace

HeartbeatWriter::Outcome HeartbeatWriter::next() {
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
  const Heartbeat heartbeat{.who = self_, .counter = ++counter_, .period = period_};
  if (const auto written = files_.write(file, encode_heartbeat(heartbeat), Sync::No); !written) {
    outcome.problem = written.error().message;
  }
  if (const auto fence = read_fence(files_, layout_); !fence) {
    outcome.problem = fence.error().message;
  } else {
    outcome.fenced = judge_.judge(*fence);
    if (raised_ && (is_lowered(*fence, self_) || (!*fence && is_gone()))) outcome.raised_again = raise_again(outcome);
  }
  return outcome;
}

// A trainer that empties its directory takes it along; one that somebody is writing at this moment is there.
bool HeartbeatWriter::is_gone() const {
  const auto fence = files_.look(layout_.fence(), Links::Stay);
  return fence && !*fence;
}

bool HeartbeatWriter::raise_again(Outcome& outcome) const {
  const auto raised = raise_fence(files_, layout_, self_);
  if (!raised) outcome.problem = raised.error().message;
  return raised.has_value();
}

void HeartbeatWriter::own_fence_seen() {
  static_cast<void>(judge_.judge(Fence{.job_uid = self_.job_uid, .attempt = self_.attempt}));
}

void HeartbeatWriter::own_fence_raised() {
  own_fence_seen();
  raised_ = true;
}

bool owns_files(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self) {
  const auto text = files.read(layout.alive(self.attempt, self.index));
  if (!text) return false;
  const auto heartbeat = *text ? decode_heartbeat(**text) : std::nullopt;
  return !*text || (heartbeat && heartbeat->who.pod_uid == self.pod_uid);
}

}  // namespace reprise::agent
