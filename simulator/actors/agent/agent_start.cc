#include "simulator/actors/agent/agent_start.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "agent/checkpoint_name.h"
#include "agent/checkpoint_order.h"
#include "agent/choose_resume.h"
#include "agent/open_attempts.h"
#include "agent/protocol.h"
#include "agent/resume_point.h"
#include "agent/set_aside.h"

namespace reprise::simulator {
namespace {

namespace protocol = agent::protocol;

constexpr Duration kVolumeCall{50};   // reading a directory and a few small files
constexpr Duration kResumePoll{500};  // startup.cc: how often the other ranks look for resume.json
constexpr int kTermExitCode = 143;
constexpr int kCallsOfABeat = 4;  // agent/beat.cc: reads its heartbeat, writes it, reads the fence

std::string fence_reason() {
  return std::string(protocol::kReasonFenced);
}

}  // namespace

agent::Checkpoints scan(const EventLoop& loop, const Disk& disk) {
  agent::Checkpoints found, set_aside;
  const auto entry = [&](const auto& checkpoint) {
    const auto time = checkpoint.complete ? loop.wall() + (checkpoint.time - loop.now()) : runtime::WallTime{};
    return agent::Checkpoint{.name = checkpoint.directory(),
                             .step = agent::step_of(checkpoint.directory()).value_or(0),
                             .complete = checkpoint.complete,
                             .time = time};
  };
  for (const auto& checkpoint : disk.checkpoints | std::views::values | std::views::reverse)
    if (!checkpoint.quarantined || !disk.traits.moves) found.push_back(entry(checkpoint));
  for (const auto& [directory, since] : disk.data)
    found.push_back({.name = directory,
                     .step = agent::step_of(directory).value_or(0),
                     .complete = true,
                     .time = loop.wall() + (since - loop.now())});
  for (const DiskSetAside& each : disk.set_aside) set_aside.push_back(entry(each));
  found = agent::without_set_aside(std::move(found), set_aside);
  agent::sort_newest_first(found, disk.made);
  return found;
}

AgentStart::AgentStart(Cluster& cluster, Volumes& volumes, AgentPlace place, const agent::Environment& env,
                       std::function<void(AgentStarted)> done)
    : cluster_(cluster),
      volumes_(volumes),
      volume_(std::move(place.volume)),
      machine_(std::move(place.machine)),
      env_(env),
      self_{.job_uid = env.job_uid, .pod_uid = env.pod_uid, .attempt = env.attempt, .index = env.index},
      done_(std::move(done)),
      started_(cluster.loop.now()),
      judge_(self_),
      writers_(env.beat),
      wake_(
          cluster.loop, [this] { go_on(); }, place.standstill) {
  listener_ = volumes_.listen(volume_, [this] {
    if (phase_ == Phase::Over || volumes_.stuck(volume_, machine_)) return;
    wake_.within(phase_ == Phase::Waiting ? kResumePoll : kVolumeCall);
  });
  wait(kVolumeCall);
}

AgentStart::~AgentStart() {
  volumes_.stop_listening(listener_);
}

void AgentStart::wait(Duration duration) {
  wake_.within(duration);
}

void AgentStart::finish(AgentStarted started) {
  phase_ = Phase::Over;
  wake_.cancel();
  const auto done = std::move(done_);
  done(std::move(started));  // may end this
}

void AgentStart::finish(End end) {
  AgentStarted started;
  started.end = std::move(end);
  started.renounces = env_.resume == agent::ResumePolicy::FromScratch;
  finish(std::move(started));
}

void AgentStart::terminate() {
  if (phase_ == Phase::Over) return;
  finish(End{.exit_code = kTermExitCode, .message = "asked to stop before the trainer was started", .asked = true});
}

// A volume that does not answer holds everything up; its answer wakes again.
void AgentStart::go_on() {
  if (phase_ == Phase::Over || volumes_.stuck(volume_, machine_)) return;
  step();
}

void AgentStart::step() {
  Disk* disk = volumes_.disk(volume_);
  if (disk == nullptr) {
    finish(End{.exit_code = protocol::kFencedExitCode, .reason = "VolumeUnavailable", .message = "no such volume"});
    return;
  }
  if (auto end = check_fence(*disk)) {
    finish(std::move(*end));
    return;
  }
  if (phase_ == Phase::Looking) {
    if (!look_for_writers(*disk)) return;
    std::optional<End> refused;
    if (!writers_are_still(*disk, refused)) {
      wait(env_.beat / 4);
      return;
    }
    if (refused) {
      finish(std::move(*refused));
      return;
    }
    phase_ = Phase::Beating;
    raise_fence(*disk);
    settle_policy(*disk);
    if (env_.keeps_volume()) {
      choose(*disk);
      return;
    }
    phase_ = Phase::Waiting;
  }
  follow(*disk);
}

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

void AgentStart::settle_policy(const Disk& disk) {
  agent::ScratchQuestion question{.policy = env_.resume,
                                  .since = env_.from_scratch_since,
                                  .self = self_,
                                  .checkpoint_expected = env_.expected_step.has_value()};
  for (const auto& [number, attempt] : disk.attempts) {
    if (!attempt.resume || attempt.resume->job_uid != self_.job_uid) continue;
    question.published.push_back({.job_uid = attempt.resume->job_uid,
                                  .attempt = static_cast<std::int32_t>(number),
                                  .pod_uid = attempt.resume->pod_uid,
                                  .step = attempt.resume->step,
                                  .path = {},
                                  .refusal = attempt.resume->refusal});
  }
  env_.resume = agent::policy_in_force(question);
}

void AgentStart::choose(Disk& disk) {
  disk.forget_gone();
  const agent::Checkpoints found = scan(cluster_.loop, disk);
  const agent::ResumeChoice choice =
      agent::choose_resume({.found = found,
                            .made = disk.made,
                            .policy = env_.resume,
                            .expected_step = env_.expected_step,
                            // The modelled trainers write markers: a checkpoint without one is torn.
                            .format_is_certain = true});
  std::vector<std::int64_t> ignored;
  if (env_.resume == agent::ResumePolicy::Never)
    for (const auto& each : found) ignored.push_back(each.step);
  DiskAttempt& attempt = disk.attempts[self_.attempt];
  if (attempt.resume && attempt.resume->job_uid == self_.job_uid) {
    const DiskResume word = *attempt.resume;
    const auto now = choice.resume ? disk.step_in(choice.resume->name) : std::nullopt;
    const bool same = now == word.step;
    if (env_.resume == agent::ResumePolicy::Latest && word.refusal.empty() && !same) {
      finish(End{.exit_code = protocol::kFencedExitCode,
                 .reason = fence_reason(),
                 .message = "this attempt has published another checkpoint before: start a new attempt"});
      return;
    }
    begin(word, std::move(ignored));
    return;
  }
  put_aside(disk, choice.put_aside);
  attempt.resume = DiskResume{.job_uid = self_.job_uid,
                              .pod_uid = self_.pod_uid,
                              .step = choice.resume ? disk.step_in(choice.resume->name) : std::nullopt,
                              .refusal = choice.refusal,
                              .from_scratch = env_.resume == agent::ResumePolicy::FromScratch};
  cluster_.log.add("agent " + self_.pod_uid,
                   choice.refusal.empty()
                       ? "publishes resume from " + (choice.resume ? choice.resume->name : std::string("the start"))
                       : "refuses: " + choice.refusal);
  const DiskResume word = *attempt.resume;
  volumes_.changed(volume_);
  begin(word, std::move(ignored));
}

void AgentStart::put_aside(Disk& disk, const std::vector<std::string>& directories) const {
  bool room_made = false;
  for (auto& checkpoint : disk.checkpoints | std::views::values) {
    const std::string directory = checkpoint.directory();
    if (std::ranges::find(directories, directory) == directories.end()) continue;
    if (checkpoint.quarantined && disk.traits.moves) continue;
    const bool ours = !checkpoint.complete && agent::made_by(env_.job_uid, directory, disk.made);
    if (!disk.traits.moves) {
      if (ours) continue;  // goes from where it is
      checkpoint.quarantined = true;
      disk.set_aside.push_back(
          {.step = checkpoint.step, .complete = checkpoint.complete, .time = checkpoint.time, .name = checkpoint.name});
      continue;
    }
    checkpoint.quarantined = true;
    if (ours && !std::exchange(room_made, true)) std::erase_if(disk.aside, [](const auto& each) { return each.ours; });
    disk.aside.push_back({.directory = directory, .ours = ours});
  }
}

void AgentStart::begin(const DiskResume& word, std::vector<std::int64_t> ignored) {
  const Disk* disk = volumes_.disk(volume_);
  if (!word.refusal.empty()) {
    finish(End{.exit_code = protocol::kCheckpointLostExitCode,
               .reason = std::string(protocol::kReasonCheckpointLost),
               .message = word.refusal});
    return;
  }
  beat_again();
  AgentStarted started;
  started.resume = word.step;
  if (disk != nullptr) {
    if (env_.keeps_volume()) started.before = scan(cluster_.loop, *disk);
    if (word.step)
      if (const auto from = disk->checkpoints.find(*word.step); from != disk->checkpoints.end())
        started.number = agent::step_of(from->second.directory());
  }
  started.ignored = std::move(ignored);
  finish(std::move(started));
}

void AgentStart::follow(const Disk& disk) {
  const auto found = disk.attempts.find(self_.attempt);
  const bool there =
      found != disk.attempts.end() && found->second.resume && found->second.resume->job_uid == self_.job_uid;
  if (there) {
    begin(DiskResume(*found->second.resume), {});
    return;
  }
  const Duration waited = cluster_.loop.now() - started_;
  if (waited >= env_.resume_wait) {
    finish(End{.exit_code = protocol::kCheckpointedExitCode,
               .reason = std::string(protocol::kReasonResumeNotPublished),
               .message = "index 0 of attempt " + std::to_string(self_.attempt) +
                          " has not said which checkpoint to resume from"});
    return;
  }
  wait(env_.resume_wait - waited);  // or when something is written there
}

}  // namespace reprise::simulator
