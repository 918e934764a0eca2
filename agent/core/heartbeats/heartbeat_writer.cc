#include "agent/core/heartbeats/heartbeat_writer.h"

#include "agent/core/heartbeats/heartbeat.h"

namespace reprise::agent {
namespace {

// Reading a fence and writing one are two steps: whoever stood still in between writes over a newer attempt's.
bool is_lowered(const std::optional<Fence>& fence, const Identity& self) {
  return fence && fence->job_uid == self.job_uid && fence->attempt < self.attempt;
}

}  // namespace

HeartbeatWriter::Outcome HeartbeatWriter::next() {
  Outcome outcome;
  look_for_another(outcome);
  if (!outcome.fenced.empty()) return outcome;
  beat(outcome);
  look_at_fence(outcome);
  return outcome;
}

// Read before write: of two pods with the same attempt and index, the one that came first gives way. What cannot be
// understood may be half of what the other one writes.
void HeartbeatWriter::look_for_another(Outcome& outcome) const {
  const auto file = layout_.alive(self_.attempt, self_.index);
  auto text = files_.read(file);
  if (text && *text && !decode_heartbeat(**text)) text = files_.read(file);
  if (!text) outcome.problem = text.error().message;
  if (!text || !*text || counter_ == 0) return;
  const auto found = decode_heartbeat(**text);
  if (found && found->who.pod_uid != self_.pod_uid)
    outcome.fenced = "pod UID " + found->who.pod_uid + " has taken over attempt " + std::to_string(self_.attempt) +
                     " index " + std::to_string(self_.index);
}

void HeartbeatWriter::beat(Outcome& outcome) {
  const auto file = layout_.alive(self_.attempt, self_.index);
  const std::string text = encode_heartbeat({.who = self_, .counter = ++counter_, .period = period_});
  const auto written = files_.rewrite(file, text);
  if (!written) outcome.problem = written.error().message;
  is_there_ = is_there_ || written;
  // A file system that copies on write, with no block left, or a quota that is used up: its time moves all the same,
  // and says as much to whoever looks.
  outcome.placed = written || (is_there_ && moves_by_time(files_) && files_.touch(file));
}

void HeartbeatWriter::look_at_fence(Outcome& outcome) {
  const auto fence = read_fence(files_, layout_);
  const bool damaged = !fence && fence.error().error_class == runtime::ErrorClass::Invalid;
  outcome.fence_seen = fence.has_value();
  if (!fence) outcome.problem = fence.error().message;
  if (fence) outcome.fenced = judge_.judge(*fence);
  if (!raised_ || (!fence && !damaged)) return;
  const bool missing = damaged || (!*fence && is_gone());
  missed_ = missing ? missed_ + 1 : 0;
  // A fence that is gone, or not whole, at one look may be on its way.
  if (missed_ > 1 || (fence && is_lowered(*fence, self_)))
    outcome.raised_again = raise_again(outcome, missed_ > 1 ? DamagedFence::Replace : DamagedFence::Leave);
  if (outcome.raised_again) missed_ = 0;
}

// A trainer that empties its directory takes it along; one that somebody is writing at this moment is there.
bool HeartbeatWriter::is_gone() const {
  const auto fence = files_.look(layout_.fence(), Links::Stay);
  return fence && !*fence;
}

bool HeartbeatWriter::raise_again(Outcome& outcome, DamagedFence damaged) const {
  const auto raised = raise_fence(files_, layout_, self_, std::nullopt, damaged);
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
