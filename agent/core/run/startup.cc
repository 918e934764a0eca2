#include "agent/core/run/startup.h"

#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "agent/core/ends/early_ends.h"
#include "agent/core/fencing/attempts.h"
#include "agent/core/fencing/fence.h"
#include "agent/core/fencing/open_attempts.h"
#include "agent/core/fencing/writers.h"
#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/heartbeats/heartbeat_writer.h"
#include "agent/core/heartbeats/own_heart.h"
#include "agent/core/heartbeats/patience.h"
#include "agent/core/heartbeats/probe_volume.h"
#include "agent/core/proofs/unproven.h"
#include "agent/core/restore/common_step.h"
#include "agent/core/restore/restore.h"
#include "agent/core/retain/prune.h"
#include "agent/core/space/full_volume.h"
#include "agent/core/space/reserve.h"
#include "agent/core/space/room_of_rank.h"
#include "agent/core/sums/shared_sums.h"
#include "agent/core/unreadable/lost_fence.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

using runtime::Result;
using std::chrono::milliseconds;

class Starter {
 public:
  explicit Starter(Session& session)
      : session_(session),
        writers_(session.env.heartbeat_period),
        search_(session.volume->files, session.volume->layout, session.self) {}

  Startup run() {
    Startup startup;
    startup.end = check_fence();
    if (!startup.end) startup.end = wait_for_writers();
    if (!startup.end) startup.end = begin_heartbeats(startup);
    if (!startup.end) startup.end = settle_policy();
    if (!startup.end) startup.end = await_common_step();
    if (!startup.end) startup.end = session_.env.is_volume_leader() ? choose(startup) : wait_for_choice(startup);
    if (!startup.end) startup.end = place_heartbeat();
    return startup;
  }

 private:
  // Waits a moment; a signal that asks this process to end does so.
  std::optional<EarlyEnd> pause(milliseconds duration) {
    const auto until = session_.clock.steady() + duration;
    while (session_.clock.steady() < until) {
      const auto signal = session_.signals->wait(until);
      if (signal && ends_without_trainer(*signal)) {
        const bool stopping = is_stop_request(*signal);
        if (stopping) session_.stop_requested = session_.clock.steady();
        return EarlyEnd{.exit_code = 128 + (stopping ? SIGTERM : signal->number),
                        .message = "stop requested before the trainer was started",
                        .stop_requested = stopping};
      }
      if (auto message = session_.heartbeat->fenced(); !message.empty()) return fenced(std::move(message));
      if (auto message = session_.heartbeat->stopped(); !message.empty()) return no_heartbeat(message);
    }
    return std::nullopt;
  }

  EarlyEnd no_heartbeat(const std::string& problem) const { return without_heartbeat(*session_.volume, problem); }

  // Reads from the volume, again for a while where that fails.
  template <class T>
  std::optional<EarlyEnd> persist(const std::function<Result<T>()>& read, T& into) {
    return persist_to_the_last<T>([&](bool) { return read(); }, into);
  }

  // The last try, which begins when the time is over, is told so.
  template <class T>
  std::optional<EarlyEnd> persist_to_the_last(const std::function<Result<T>(bool is_last)>& read, T& into) {
    const auto [pace, limit] = patience(session_.env.heartbeat_period);
    const auto deadline = session_.clock.steady() + limit;
    for (;;) {
      const bool is_last = session_.clock.steady() >= deadline;
      auto got = is_last ? session_.volume->lost_texts->try_last<Result<T>>([&] { return read(true); }) : read(false);
      if (got) {
        into = std::move(*got);
        return std::nullopt;
      }
      if (is_last) return volume_unavailable(std::move(got.error().message));
      const auto left = std::chrono::ceil<milliseconds>(deadline - session_.clock.steady());
      if (auto end = pause(std::min(pace, left))) return end;
    }
  }

  std::optional<EarlyEnd> check_fence() {
    auto end = read_fence_again_where_missing([this]() -> Result<bool> {
      const auto attempts = session_.volume->files.list(session_.volume->layout.attempts());
      if (!attempts) return std::unexpected(attempts.error());
      return std::ranges::any_of(*attempts,
                                 [&](const std::string& each) { return attempt_of(each) != session_.self.attempt; });
    });
    if (!end && lost_fence_.has_lost()) end = give_way_to_later_attempt();
    return end ? end : heed_fence();
  }

  // A newer attempt's fence ends this one. Behind another fence the search looks from here on for those that may write.
  std::optional<EarlyEnd> heed_fence() {
    if (auto message = FenceJudge(session_.self).judge(fence_); !message.empty()) return fenced(std::move(message));
    bool published = false;
    auto end = persist<bool>([this] { return has_published(*session_.volume, fence_); }, published);
    open_ = all_open_of(open_, open_attempts(fence_, published, session_.self));
    search_.look_in(open_);
    return end;
  }

  // The owner of the fence cannot be read: only those who would be looked for without one are known to write no more.
  std::optional<EarlyEnd> give_way_to_later_attempt() {
    std::string why;
    auto end = persist<std::string>([this] { return why_behind_lost_fence(*session_.volume, session_.self); }, why);
    return end || why.empty() ? end : fenced(std::move(why));
  }

  // On some mounts a file that is replaced is not there for a moment. `was_there`: whether somebody has raised a fence.
  std::optional<EarlyEnd> read_fence_again_where_missing(const std::function<Result<bool>()>& was_there) {
    constexpr int tries = 3;
    constexpr milliseconds moment{200};
    for (int at = 1;; ++at) {
      auto end = persist_to_the_last<std::optional<Fence>>(
          [this](bool is_last) { return lost_fence_.read(*session_.volume, is_last); }, fence_);
      if (end || fence_ || lost_fence_.has_lost() || at == tries) return end;
      bool is_missing = false;
      end = persist<bool>(was_there, is_missing);
      if (end || !is_missing) return end;
      if (auto stopped = pause(moment)) return stopped;
    }
  }

  std::optional<EarlyEnd> wait_for_writers() {
    for (;;) {
      std::vector<Sighting> sightings;
      auto end = persist_to_the_last<std::vector<Sighting>>(
          [this](bool is_last) {
            if (is_last) search_.judge_lost(session_.env.heartbeat_period);
            writers_.begin(session_.clock.steady());
            return search_.look([this] { return answered(); });
          },
          sightings);
      if (end) return end;
      switch (writers_.see(session_.clock.steady(), sightings)) {
        case WriterWatch::Verdict::Clear:
          return std::nullopt;
        case WriterWatch::Verdict::Reject:
          return fenced(writers_.rejection());
        case WriterWatch::Verdict::Wait:
          break;
      }
      session_.enter(Activity::Restoring, "watches until who wrote to the volume before stands still");
      if (auto stopped = pause(session_.env.heartbeat_period / 4)) return stopped;
    }
  }

  runtime::Instant answered() {
    const auto now = session_.clock.steady();
    writers_.answered(now);
    return now;
  }

  // Behind the fence of another job nobody would look for this one: without a fence of its own it must not run there.
  std::optional<EarlyEnd> raise_own_fence(Startup& startup) {
    const auto before = fence_;
    auto end = read_fence_again_where_missing([&] { return before.has_value(); });
    if (!end && fence_ != before) end = heed_fence();  // somebody else has raised it meanwhile
    if (end) return end;
    const auto raised =
        raise_over(session_.volume->files, session_.volume->layout, session_.self, {.found = fence_, .open = open_});
    if (!raised) {
      startup.notes.push_back("the fence could not be raised: " + raised.error().message);
      if (fence_ && fence_->job_uid != session_.self.job_uid) return volume_unavailable(startup.notes.back());
      return std::nullopt;
    }
    raised_ = true;
    search_.look_ahead();
    return std::nullopt;
  }

  std::optional<EarlyEnd> begin_heartbeats(Startup& startup) {
    session_.sums->look_back(session_.volume->files);
    session_.follows_unsynced_end = follows_unsynced_end(*session_.volume, session_.self);
    if (std::string said = said_of_reach(session_.volume->files.kind()); !said.empty()) {
      session_.host.say(said);
      startup.notes.push_back(std::move(said));
    }
    if (session_.env.is_volume_leader()) {
      give_up_reserve(*session_.volume);
      if (auto end = raise_own_fence(startup)) return end;
      // An agent that stood still until just now writes its heartbeat before it looks at the fence: from here on it is
      // seen, or it sees.
      if (auto end = wait_for_writers()) return end;
    }
    const auto volume = session_.volume;
    const auto writer =
        std::make_shared<HeartbeatWriter>(volume->files, volume->layout, session_.self, session_.env.heartbeat_period);
    if (raised_) writer->own_fence_raised();
    const auto heart = std::make_shared<OwnHeart>(session_.env.heartbeat_period);
    const auto one_at_a_time = session_.host.threads().make_exclusion();
    beat_ = [volume, writer, heart, one_at_a_time, state = session_.heartbeat, signals = session_.signals,
             clock = &session_.clock] {
      const std::lock_guard lock(*one_at_a_time);
      if (!state->may_write()) return;
      const auto begun = clock->steady();
      auto outcome = writer->next();
      if (outcome.fenced.empty()) heart->beat(begun, outcome.placed);
      state->set(std::move(outcome), heart->has_stopped());
      if (!state->may_write()) signals->wake();
    };
    fence_seen_ = [writer, one_at_a_time] {
      const std::lock_guard lock(*one_at_a_time);
      writer->own_fence_seen();
    };
    session_.heartbeat_worker =
        session_.host.threads().repeat(session_.env.heartbeat_period, beat_until_placed(heart->pause()));
    if (raised_) session_.probing = probe_volume(session_);
    if (auto end = place_heartbeat()) return end;
    keep_room(session_.volume->files, session_.volume->layout, session_.self);
    return std::nullopt;
  }

  // Beats for as long as somebody else cannot take this agent for dead.
  std::function<void()> beat_until_placed(milliseconds pace) const {
    return [beat = beat_, state = session_.heartbeat, threads = &session_.host.threads(),
            tries = static_cast<int>(session_.env.heartbeat_period / std::max(pace, milliseconds(1))), pace] {
      beat();
      for (int at = 0; at < tries && state->may_write() && !state->placed(); ++at) {
        threads->pause(pace);
        beat();
      }
    };
  }

  // An agent trains only if it can be seen, and can see whose the volume is. Pruned directories and the reserve go
  // before.
  std::optional<EarlyEnd> place_heartbeat() {
    const auto [pace, limit] = patience(session_.env.heartbeat_period);
    const auto deadline = session_.clock.steady() + limit;
    for (;;) {
      if (auto end = send_heartbeat_again()) return end;
      const bool placed = session_.heartbeat->placed();
      if (placed && session_.heartbeat->fence_seen()) return std::nullopt;
      const std::string problem = session_.heartbeat->problem();
      if (session_.clock.steady() >= deadline) return placed ? volume_unavailable(problem) : no_heartbeat(problem);
      if (session_.env.is_volume_leader() && says_no_room(problem)) {
        give_up_reserve(*session_.volume);
        give_up_former_room(session_.volume->files, session_.volume->layout, session_.self);
        empty_trash(*session_.volume);
      }
      if (auto end = pause(pace)) return end;
    }
  }

  // Right before the trainer starts, too: where the machine stood still meanwhile, this heartbeat stood still, and a
  // newer attempt may be about to take that for an end. Who had to raise the fence again looks who lowered it.
  std::optional<EarlyEnd> send_heartbeat_again() {
    for (;;) {
      beat_();
      if (auto message = session_.heartbeat->fenced(); !message.empty()) return fenced(std::move(message));
      if (auto message = session_.heartbeat->stopped(); !message.empty()) return no_heartbeat(message);
      if (!session_.heartbeat->take_raised_again()) return std::nullopt;
      search_.look_in(std::nullopt);
      if (auto end = wait_for_writers()) return end;
    }
  }

  // A start from scratch that is behind this attempt is not made again.
  std::optional<EarlyEnd> settle_policy() {
    return persist<ResumePolicy>([this] { return policy_in_force(*session_.volume, session_.env, session_.self); },
                                 session_.env.resume);
  }

  // Waits with heartbeats, so that whoever comes meanwhile sees who has the volume.
  std::optional<EarlyEnd> await_common_step() {
    const Environment& env = session_.env;
    if (!env.agrees_on_step()) return std::nullopt;
    if (env.annotations_file.empty())
      return EarlyEnd{.exit_code = protocol::kUsageExitCode,
                      .reason = std::string(protocol::kReasonResumeNotPublished),
                      .message = "environment variable " + std::string(protocol::kAnnotationsFile) +
                                 " is not set: with several ranks and a volume each, the annotations of the pod say "
                                 "from which step all resume"};
    const auto deadline = session_.clock.steady() + env.resume_wait;
    for (;;) {
      const auto said = read_resume_step(session_.volume->files, env.annotations_file);
      common_ = said.common;
      session_.enter(common_ ? Activity::Restoring : Activity::WaitingForPeer, said.why);
      if (common_) return std::nullopt;
      if (session_.clock.steady() >= deadline) return run_again(protocol::kReasonResumeNotPublished, said.why);
      if (auto stopped = pause(std::min(env.watch, milliseconds(500)))) return stopped;
    }
  }

  // Chooses; for the agent that keeps the volume.
  std::optional<EarlyEnd> choose(Startup& startup) {
    Restored restored;
    auto end = persist_to_the_last<Restored>(
        [&](bool is_last) {
          return restore(*session_.volume, session_.env, session_.self, common_,
                         {.is_last = is_last, .now = [clock = &session_.clock] { return clock->steady(); }});
        },
        restored);
    if (end) return end;
    startup.point = restored.point;
    startup.published = restored.published;
    startup.ignored = restored.ignored;
    startup.before = restored.before;
    startup.made = restored.made;
    startup.unproven = restored.unproven;
    if (session_.live) {
      session_.live->resume_from(startup.point.step);
      session_.live->put_aside(startup.unproven);
    }
    startup.common = common_;
    startup.notes.insert(startup.notes.end(), restored.notes.begin(), restored.notes.end());
    if (!restored.outdated.empty()) return fenced(restored.outdated);
    if (!restored.step_gone.empty()) return run_again(protocol::kReasonResumeStepGone, restored.step_gone);
    if (!restored.published && session_.env.is_gang()) return volume_unavailable(restored.notes.back());
    return rejection(startup.point);
  }

  std::optional<EarlyEnd> wait_for_choice(Startup& startup) {
    auto deadline = session_.clock.steady() + session_.env.resume_wait;
    std::optional<std::uint64_t> beat;
    for (;;) {
      std::optional<ResumePoint> point;
      auto end = persist<std::optional<ResumePoint>>(
          [this] { return read_resume_point(*session_.volume, session_.self); }, point);
      if (end) return end;
      if (point && visible(*point)) {
        startup.point = *point;
        if (session_.live) session_.live->resume_from(point->step);
        session_.enter(Activity::Restoring);
        fence_seen_();  // index 0 raised it before it published: whose fence is there now came later
        return rejection(*point);
      }
      session_.enter(Activity::WaitingForPeer, nothing_to_load(point));
      // The chooser may have terabytes to read before it can say: it is waited for as long as it moves.
      if (const auto now = beat_of_chooser(); !point && now && now != beat) {
        beat = now;
        deadline = session_.clock.steady() + session_.env.resume_wait;
      }
      if (session_.clock.steady() >= deadline)
        return run_again(protocol::kReasonResumeNotPublished, nothing_to_load(point));
      if (auto stopped = pause(std::min(session_.env.watch, milliseconds(500)))) return stopped;
    }
  }

  // Empty: there is none of this attempt, or it cannot be read.
  [[nodiscard]] std::optional<std::uint64_t> beat_of_chooser() const {
    const auto text = session_.volume->files.read(session_.volume->layout.alive(session_.self.attempt, 0));
    const auto heartbeat = text && *text ? decode_heartbeat(**text) : std::nullopt;
    if (!heartbeat || heartbeat->who.job_uid != session_.self.job_uid) return std::nullopt;
    return heartbeat->counter;
  }

  std::string nothing_to_load(const std::optional<ResumePoint>& said) const {
    const std::string chooser = "index 0 of attempt " + std::to_string(session_.self.attempt);
    if (!said) return chooser + " has not said which checkpoint to resume from";
    return chooser + " said to resume from " + said->path +
           ", and no complete checkpoint of that name is on the volume";
  }

  // A network file system may show the choice before the checkpoint it names.
  bool visible(const ResumePoint& point) const {
    if (!point.step) return true;
    const auto completed =
        session_.volume->format->completed(session_.volume->files, session_.volume->layout.root / point.path);
    return completed && completed->has_value();
  }

  Session& session_;
  WriterWatch writers_;
  WriterSearch search_;
  std::optional<Fence> fence_;  // as it was found
  LostFence lost_fence_;
  AttemptSpans open_ = std::vector<AttemptSpan>();
  bool raised_ = false;
  std::optional<protocol::CommonStep> common_;  // the step of ranks with a volume each
  std::function<void()> beat_, fence_seen_;
};

}  // namespace

Startup start_up(Session& session) {
  return Starter(session).run();
}

}  // namespace reprise::agent
