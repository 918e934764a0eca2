// Facts that a rehearsal has seen of one job: plain values, from which the verdict is drawn. All times are the
// cluster's, since the begin of the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::rehearsal {

using runtime::Duration;

// A process's disposition of a signal, as /proc shows it.
enum class Disposition { Unknown, Default, Ignored, Handled };

struct RankFacts {
  int rank = 0;
  Duration began{0};
  std::optional<Duration> asked = {};  // SIGTERM came
  std::optional<Duration> ended = {};
  int exit_code = 0;                      // once ended
  bool killed = false;                    // had not ended when its grace was over
  bool vanished = false;                  // its node went without a notice that could have been heeded
  bool finished = false;                  // ended by itself with 0
  std::string reason = {}, message = {};  // the agent's account of its end
  // The training command's, looked at when SIGTERM came.
  Disposition on_term = Disposition::Unknown, on_notice = Disposition::Unknown;
  bool handled_earlier = false;  // SIGTERM, at any look before
  // True when the trainer had a handler for SIGTERM and had none any more when it was asked: interpreters take theirs
  // down while they shut down, so this trainer was at its end.
  [[nodiscard]] bool was_shutting_down() const { return handled_earlier && on_term == Disposition::Default; }
  // Numbers that the trainer has printed as its step.
  std::optional<std::int64_t> first_printed = {}, last_printed = {};
  std::optional<std::int64_t> printed_total = {};       // behind the last of them: "step 150 of 200", "step 150/200"
  std::optional<std::int64_t> printed_when_asked = {};  // the last of them when SIGTERM came
  // The first number and distance of the printed steps; empty: they do not count evenly, or again from a lower one.
  std::optional<std::int64_t> counts_from = {}, counts_by = {};
  bool counts_again = false;                 // from a lower number, as steps of epochs
  std::string last_output = {};              // the output's end
  std::vector<std::string> last_lines = {};  // the output's last ten lines
  int left_behind = 0;                       // processes it left, which were killed
};

struct CheckpointFacts {
  std::int64_t step = 0;
  Duration at{0};  // when its last piece was written
  std::int64_t bytes = 0;
  bool complete = true;
  std::string name = {};                     // its path below the root of the volume
  std::string format = {};                   // by which it is known to be complete; empty: it is not
  std::optional<std::int64_t> printed = {};  // the last step that a rank had printed when it came
  bool older = false;                        // than the attempt in which it was first seen: moved there, not written
};

struct AttemptFacts {
  std::int64_t number = 0;
  std::optional<std::int64_t> resumed_from = {};  // the step that the trainer was given
  std::vector<RankFacts> ranks = {};
  std::vector<CheckpointFacts> checkpoints = {};  // written while it ran; in order of time
  // SIGTERM came while it may still have been starting: no step and no checkpoint; for a trainer with a handler for
  // SIGTERM, false once it had had all the time that a start may take.
  bool starting = false;
  // The attempt had all that time and showed nothing: no step, no checkpoint, no handler for SIGTERM.
  bool silent = false;

  [[nodiscard]] std::optional<Duration> asked() const;  // the first rank
  // The first disturbance from outside: SIGTERM to a rank, or a node that went without a word.
  [[nodiscard]] std::optional<Duration> disturbed() const;
  // True when the attempt took no notice of SIGTERM and was killed: one rank ignored it, and none handles it.
  [[nodiscard]] bool ignored_sigterm() const;
  // All ranks were killed, and one printed further steps until then; its saves came in the turn of its periodic saves.
  // A trainer that saves with every step it prints may have answered, and one that left a save incomplete, too.
  [[nodiscard]] bool trained_on() const;
  // True when that rank ended with an error before anything from outside had come to any rank: a later SIGTERM to
  // others is its effect. Not so for a rank that dies because a peer was interrupted.
  [[nodiscard]] bool failed_by_itself(const RankFacts& rank) const;
  [[nodiscard]] bool failed_by_itself() const;          // any rank
  [[nodiscard]] std::optional<Duration> ended() const;  // the last one; nothing while one runs
};

// An initContainer that must end well before the trainer starts, and did not.
struct InitContainerFacts {
  std::string name;
  std::int64_t attempt = 0;
  int rank = 0;
  std::optional<int> exit_code = {};  // empty: still running at the end of the run
  std::string message = {};           // why it could not be started
  std::string last_output = {};       // some lines of its output
  std::string output = {};            // the file that has all of it
};

// The weights at the end, against those of an undisturbed run.
struct WeightsFacts {
  enum class State {
    NotAsked,
    Equal,
    Different,
    Arbitrary,    // two undisturbed runs differ as well
    NotCompared,  // one of the runs did not come to its end
  };
  State state = State::NotAsked;
  std::string what = {};  // the difference, or why they could not be compared
};

struct JobFacts {
  enum class Outcome { Running, Complete, Failed, Stalled, Suspended };
  std::string name;
  Outcome outcome = Outcome::Running;
  std::string message = {};  // why, where it is no success
  std::vector<AttemptFacts> attempts = {};
  std::vector<InitContainerFacts> init_containers = {};
  std::vector<std::string> elsewhere = {};       // names of what looks like a checkpoint outside the volume
  std::vector<std::string> not_laid_out = {};    // on the volume, and not complete to the agent: each with why
  std::string checkpoint_path = {};              // as the trainer sees it
  std::int64_t bytes_used = 0, bytes_there = 0;  // on the volume: at most, and as the claim asks; 0: it does not say
  std::string disk_full = {};                    // why this machine's disk is taken to be full; empty: it is not
  bool notice_by_request = false;                // spec.checkpoint.onNotice asks by signal or file
  std::int64_t grace_seconds = 0;
  WeightsFacts weights = {};
  Duration start_limit{0};  // the longest that a start may take, in this machine's time

  // The newest initContainer that keeps the newest attempt, or the one after it, from its start; nullptr: none does.
  [[nodiscard]] const InitContainerFacts* kept_from_start() const;
  // True when saves after a notice come by the trainer's own pace: only SIGTERM was to tell it, and it ignored that.
  [[nodiscard]] bool deaf(const AttemptFacts& attempt) const {
    return !notice_by_request && (attempt.ignored_sigterm() || attempt.trained_on());
  }
};

}  // namespace reprise::rehearsal
