// The modelled agent at the fence: who else writes, and from when on this agent owns the volume.
#include <algorithm>
#include <utility>

#include "agent/open_attempts.h"
#include "protocol/agent_protocol.h"
#include "simulator/actors/agent/agent_start.h"

namespace reprise::simulator {
namespace {

constexpr int kCallsOfABeat = 4;  // agent/beat.cc: reads its heartbeat, writes it, reads the fence

std::string fence_reason() {
  return std::string(protocol::kReasonFenced);
}

}  // namespace

std::optional<AgentStarted::End> AgentStart::check_fence(const Disk& disk) {
  std::optional<agent::Fence> fence;
  if (!disk.fence_job_uid.empty())
    fence = agent::Fence{.job_uid = disk.fence_job_uid, .attempt = static_cast<std::int32_t>(disk.fence_attempt)};
  std::string message = judge_.judge(fence);
  if (message.empty()) return std::nullopt;
  return End{.exit_code = protocol::kFencedExitCode, .reason = fence_reason(), .message = std::move(message)};
}

agent::AttemptSpans AgentStart::open_attempts(const Disk& disk) const {
  std::optional<agent::Fence> fence;
  if (!disk.fence_job_uid.empty()) {
    fence.emplace(disk.fence_job_uid, static_cast<std::int32_t>(disk.fence_attempt));
    if (disk.fence_open) fence->open.emplace();
    for (const auto& [first, last] : disk.fence_open.value_or(std::vector<std::pair<std::int64_t, std::int64_t>>()))
      fence->open->push_back({.first = static_cast<std::int32_t>(first), .last = static_cast<std::int32_t>(last)});
  }
  const auto attempt = disk.attempts.find(disk.fence_attempt);
  const bool published =
      attempt != disk.attempts.end() && attempt->second.resume && attempt->second.resume->job_uid == disk.fence_job_uid;
  return agent::open_attempts(fence, published || disk.fence_job_uid == disk.former.job_uid, self_);
}

bool AgentStart::look_for_writers(Disk& disk) {
  const Duration now = cluster_.loop.now();
  if (!look_) {
    const auto open = open_attempts(disk);
    const auto is_open = [&](std::int64_t number) { return agent::is_open(open, std::to_string(number)); };
    constexpr std::int64_t at_once = 16;  // VolumeFiles::read_all
    std::int64_t files = 1, answers = 1;
    const auto add = [&](std::int64_t ranks) {
      files += 1 + 2 * ranks;
      answers += 1 + 2 * ((ranks + at_once - 1) / at_once);
    };
    for (const auto& [number, attempt] : disk.attempts)
      if (is_open(number)) add(std::ssize(attempt.beats));
    for (std::int64_t number = 1; number <= disk.former.attempts; ++number)
      if (is_open(number)) add(disk.former.ranks);
    look_ = {.began = now, .answers = answers};
    disk.longest_look = std::max(disk.longest_look, files);
    writers_.begin(cluster_.loop.steady());
  }
  const Duration over = look_->began + disk.traits.call * look_->answers;
  if (now < over) {
    wait(over - now);
    return false;
  }
  for (std::int64_t answer = 1; disk.traits.call > Duration{0} && answer <= look_->answers; ++answer)
    writers_.answered(cluster_.loop.steady() - (now - look_->began - disk.traits.call * answer));
  look_.reset();
  return true;
}

std::vector<agent::Sighting> AgentStart::sightings(const Disk& disk) const {
  std::vector<agent::Sighting> sightings;
  const auto open = open_attempts(disk);
  if (agent::is_open(open, std::to_string(disk.former.attempts))) {
    for (int rank = 0; rank < disk.former.ranks; ++rank)
      sightings.push_back({.who = "rank " + std::to_string(rank) + " of another job",
                           .file = "former/" + std::to_string(rank),
                           .text = "silent",
                           .period = env_.beat});
  }
  for (const auto& [number, attempt] : disk.attempts) {
    if (!agent::is_open(open, std::to_string(number))) continue;
    for (const auto& [rank, beat] : attempt.beats) {
      if (beat.pod_uid == self_.pod_uid) continue;
      if (beat.job_uid == self_.job_uid && number == self_.attempt && rank != self_.index) continue;
      const auto record = attempt.records.find(rank);
      if (record != attempt.records.end() && record->second.pod_uid == beat.pod_uid) continue;
      sightings.push_back({.who = "attempt " + std::to_string(number) + " index " + std::to_string(rank),
                           .file = std::to_string(number) + "/" + std::to_string(rank),
                           .text = beat.pod_uid + std::to_string(beat.counter(cluster_.loop.now())),
                           .period = beat.told});
    }
  }
  return sightings;
}

bool AgentStart::writers_are_still(const Disk& disk, std::optional<End>& refused) {
  switch (writers_.see(cluster_.loop.steady(), sightings(disk))) {
    case agent::WriterWatch::Verdict::Clear:
      return true;
    case agent::WriterWatch::Verdict::Wait:
      return false;
    case agent::WriterWatch::Verdict::Refuse:
      refused = End{.exit_code = protocol::kFencedExitCode, .reason = fence_reason(), .message = writers_.refusal()};
      return true;
  }
  return true;
}

void AgentStart::raise_fence(Disk& disk) {
  const auto open = open_attempts(disk);
  disk.attempts[self_.attempt].beats[self_.index] = {.job_uid = self_.job_uid,
                                                     .pod_uid = self_.pod_uid,
                                                     .since = cluster_.loop.now(),
                                                     .period = env_.beat + disk.traits.call * kCallsOfABeat,
                                                     .told = env_.beat};
  const bool raises = disk.fence_job_uid != self_.job_uid || disk.fence_attempt < self_.attempt;
  if (!env_.keeps_volume() || !raises) return;
  disk.fence_open.reset();
  if (open) disk.fence_open.emplace();
  for (const auto& span : open.value_or(std::vector<agent::AttemptSpan>()))
    disk.fence_open->emplace_back(span.first, span.last);
  disk.fence_job_uid = self_.job_uid;
  disk.fence_attempt = self_.attempt;
  static_cast<void>(check_fence(disk));  // from now on another job's fence counts
  cluster_.log.add("agent " + self_.pod_uid,
                   "raises the fence of " + volume_ + " to attempt " + std::to_string(self_.attempt));
  volumes_.changed(volume_);
}

// The fence was looked at in this very step.
void AgentStart::beat_again() {
  Disk* disk = volumes_.disk(volume_);
  if (disk == nullptr) return;
  const auto beat = disk->attempts[self_.attempt].beats.find(self_.index);
  if (beat == disk->attempts[self_.attempt].beats.end() || beat->second.pod_uid != self_.pod_uid) return;
  const Duration now = cluster_.loop.now();
  beat->second.since = now - beat->second.period * static_cast<Duration::rep>(beat->second.counter(now));
}

}  // namespace reprise::simulator
