#include "simulator/actors/agent/agent_start.h"

#include <utility>

#include "protocol/agent_protocol.h"

namespace reprise::simulator {
namespace {

constexpr Duration kVolumeCall{50};   // reading a directory and a few small files
constexpr Duration kResumePoll{500};  // startup.cc: how often the other ranks look for resume.json
constexpr int kTermExitCode = 143;

}  // namespace

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

}  // namespace reprise::simulator
