#include "agent/startup.h"

#include <csignal>
#include <functional>
#include <utility>

#include "agent/beat.h"
#include "agent/fence.h"
#include "agent/finished.h"
#include "agent/protocol.h"
#include "agent/restore.h"
#include "agent/writers.h"

namespace reprise::agent {
namespace {

using runtime::Result;
using std::chrono::milliseconds;

constexpr std::string_view kReasonVolume = "VolumeUnavailable";

EarlyEnd fenced(std::string message) {
  return {.exit_code = protocol::kFencedExitCode,
          .reason = std::string(protocol::kReasonFenced),
          .message = std::move(message)};
}

EarlyEnd volume_unavailable(std::string message) {
  auto end = fenced(std::move(message));
  end.reason = kReasonVolume;
  return end;
}

class Starter {
 public:
  explicit Starter(Session& session) : session_(session) {}

  Startup run() {
    Startup startup;
    startup.end = check_fence();
    if (!startup.end) startup.end = wait_for_writers();
    if (!startup.end) startup.end = begin_beats(startup);
    std::optional<Record> finished;
    if (!startup.end) startup.end = look_for_finished(finished);
    if (!startup.end && session_.env.keeps_volume()) startup.end = choose(startup, finished.has_value());
    if (!startup.end && finished) {
      startup.end = EarlyEnd{.message = "finished in an earlier attempt", .finished = finished};
    }
    if (!startup.end && !session_.env.keeps_volume()) startup.end = wait_for_choice(startup);
    return startup;
  }

 private:
  // Waits a moment; a signal that asks this process to end does so.
  std::optional<EarlyEnd> pause(milliseconds duration) {
    const auto until = session_.clock.steady() + duration;
    while (session_.clock.steady() < until) {
      const auto signal = session_.signals->wait(until);
      if (signal == SIGTERM || signal == SIGINT || signal == SIGQUIT || signal == SIGHUP) {
        return EarlyEnd{.exit_code = 128 + *signal,
                        .message = "asked to stop before the trainer was started",
                        .asked = signal == SIGTERM};
      }
      if (auto message = session_.beat->fenced(); !message.empty()) return fenced(std::move(message));
    }
    return std::nullopt;
  }

  // Reads from the volume, again for ten beats while that fails.
  template <class T>
  std::optional<EarlyEnd> persist(const std::function<Result<T>()>& read, T& into) {
    const auto deadline = session_.clock.steady() + session_.env.beat * 10;
    for (;;) {
      auto got = read();
      if (got) {
        into = std::move(*got);
        return std::nullopt;
      }
      if (session_.clock.steady() >= deadline) return volume_unavailable(std::move(got.error().message));
      if (auto end = pause(session_.env.beat)) return end;
    }
  }

  std::optional<EarlyEnd> check_fence() {
    std::optional<Fence> fence;
    auto end = persist<std::optional<Fence>>(
        [this] { return read_fence(session_.volume->files, session_.volume->layout); }, fence);
    if (end) return end;
    auto message = FenceJudge(session_.self).judge(fence);
    return message.empty() ? std::nullopt : std::optional(fenced(std::move(message)));
  }

  std::optional<EarlyEnd> wait_for_writers() {
    WriterWatch watch(session_.env.beat);
    for (;;) {
      std::vector<Sighting> sightings;
      auto end = persist<std::vector<Sighting>>(
          [this] { return sight_writers(session_.volume->files, session_.volume->layout, session_.self); }, sightings);
      if (end) return end;
      switch (watch.see(session_.clock.steady(), sightings)) {
        case WriterWatch::Verdict::Clear: return std::nullopt;
        case WriterWatch::Verdict::Refuse: return fenced(watch.refusal());
        case WriterWatch::Verdict::Wait: break;
      }
      if (auto stopped = pause(session_.env.beat / 4)) return stopped;
    }
  }

  std::optional<EarlyEnd> begin_beats(Startup& startup) {
    if (session_.env.keeps_volume()) {
      const auto raised = raise_fence(session_.volume->files, session_.volume->layout, session_.self);
      if (!raised) startup.notes.push_back("the fence could not be raised: " + raised.error().message);
    }
    const auto volume = session_.volume;
    const auto beat = std::make_shared<Beat>(volume->files, volume->layout, session_.self, session_.env.beat);
    const auto tick = [volume, beat, state = session_.beat, signals = session_.signals] {
      if (!state->fenced().empty()) return;
      auto outcome = beat->next();
      const bool wakes = !outcome.fenced.empty();
      state->set(std::move(outcome.fenced), std::move(outcome.problem));
      if (wakes) signals->wake();
    };
    tick();
    session_.beating = std::make_unique<Worker>(session_.env.beat, tick);
    auto message = session_.beat->fenced();
    return message.empty() ? std::nullopt : std::optional(fenced(std::move(message)));
  }

  std::optional<EarlyEnd> look_for_finished(std::optional<Record>& finished) {
    if (session_.env.resume == ResumePolicy::FromScratch) return std::nullopt;
    return persist<std::optional<Record>>([this] { return find_finished(*session_.volume, session_.self); }, finished);
  }

  // Of whoever keeps the volume. Also when its own part is finished: the other ranks wait for its word.
  std::optional<EarlyEnd> choose(Startup& startup, bool own_part_finished) {
    Restored restored;
    auto end = persist<Restored>([this] { return restore(*session_.volume, session_.env, session_.self); }, restored);
    if (end) return end;
    startup.point = restored.point;
    startup.ignored = restored.ignored;
    startup.notes.insert(startup.notes.end(), restored.notes.begin(), restored.notes.end());
    if (!restored.outdated.empty()) return fenced(restored.outdated);
    const bool others_wait = session_.env.access == VolumeAccess::Shared && session_.env.parallelism > 1;
    if (!restored.published && others_wait) return volume_unavailable(restored.notes.back());
    return own_part_finished ? std::nullopt : refusal(startup.point);
  }

  static std::optional<EarlyEnd> refusal(const ResumePoint& point) {
    if (point.refusal.empty()) return std::nullopt;
    return EarlyEnd{.exit_code = protocol::kCheckpointLostExitCode,
                    .reason = std::string(protocol::kReasonCheckpointLost),
                    .message = point.refusal};
  }

  std::optional<EarlyEnd> wait_for_choice(Startup& startup) {
    const auto deadline = session_.clock.steady() + session_.env.resume_wait;
    for (;;) {
      std::optional<ResumePoint> point;
      auto end = persist<std::optional<ResumePoint>>(
          [this] { return read_resume_point(*session_.volume, session_.self); }, point);
      if (end) return end;
      if (point && visible(*point)) {
        startup.point = *point;
        return refusal(*point);
      }
      if (session_.clock.steady() >= deadline) {
        return EarlyEnd{.exit_code = protocol::kCheckpointedExitCode,
                        .reason = std::string(protocol::kReasonResumeNotPublished),
                        .message = "index 0 of attempt " + std::to_string(session_.self.attempt) +
                                   " has not said which checkpoint to resume from"};
      }
      if (auto stopped = pause(std::min(session_.env.watch, milliseconds(500)))) return stopped;
    }
  }

  // A network file system may show the word before the checkpoint it names.
  bool visible(const ResumePoint& point) const {
    if (!point.step) return true;
    const auto completed = session_.volume->format->completed(session_.volume->layout.root / point.path);
    return completed && completed->has_value();
  }

  Session& session_;
};

}  // namespace

Startup start_up(Session& session) { return Starter(session).run(); }

}  // namespace reprise::agent
