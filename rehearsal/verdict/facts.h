// What a rehearsal has seen of one job: plain values, from which the verdict is drawn. All times are the cluster's,
// since the begin of the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::rehearsal {

using runtime::Duration;

// What a process does with a signal, as /proc shows.
enum class Disposition { Unknown, Default, Ignored, Handled };

struct RankFacts {
  int rank = 0;
  Duration began{0};
  std::optional<Duration> asked = {};  // SIGTERM came
  std::optional<Duration> ended = {};
  int exit_code = 0;                      // once ended
  bool killed = false;                    // it had not ended when its grace was over
  bool vanished = false;                  // its node went without a notice that could have been heeded
  bool finished = false;                  // ended by itself with 0
  std::string reason = {}, message = {};  // what the agent says of its end
  // Of the training command, looked at when SIGTERM came.
  Disposition on_term = Disposition::Unknown, on_notice = Disposition::Unknown;
  bool handled_earlier = false;  // SIGTERM, at any look before
  // It had a handler for SIGTERM and had none any more when it was asked: interpreters take theirs down while they shut
  // down, so this trainer was at its end.
  [[nodiscard]] bool was_shutting_down() const { return handled_earlier && on_term == Disposition::Default; }
  // Numbers that the trainer has printed as its step.
  std::optional<std::int64_t> first_printed = {}, last_printed = {};
  std::optional<std::int64_t> printed_total = {};       // behind the last of them: "step 150 of 200", "step 150/200"
  std::optional<std::int64_t> printed_when_asked = {};  // the last of them when SIGTERM came
  // Those numbers count evenly: from which one, by how many; nothing: they do not, or again from a lower one.
  std::optional<std::int64_t> counts_from = {}, counts_by = {};
  bool counts_again = false;                 // from a lower number, as steps of epochs
  std::string last_output = {};              // of its output
  std::vector<std::string> last_lines = {};  // of its output: the last ten
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
  std::optional<std::int64_t> resumed_from = {};  // what the trainer was given
  std::vector<RankFacts> ranks = {};
  std::vector<CheckpointFacts> checkpoints = {};  // written while it ran; in order of time
  // It was asked while it may still have been starting: no step and no checkpoint; of who has a handler for SIGTERM,
  // not when it had had all the time that a start may take.
  bool starting = false;
  // It had all that time and showed nothing: no step, no checkpoint, no handler for SIGTERM.
  bool silent = false;

  [[nodiscard]] std::optional<Duration> asked() const;  // the first rank
  // What came from outside first: SIGTERM to a rank, or a node that went without a word.
  [[nodiscard]] std::optional<Duration> disturbed() const;
  // It took no notice of SIGTERM and was killed: one rank ignored it, and none handles it.
  [[nodiscard]] bool ignored_sigterm() const;
  // All ranks were killed, and one printed further steps until then; what it saved came in the turn of its periodic
  // saves. Who saves with every step that it prints may have answered, and who left a save incomplete, too.
  [[nodiscard]] bool trained_on() const;
  // That rank ended with an error, and nothing from outside had come to any rank before: what others are asked for
  // afterwards is its effect. A rank that dies because a peer was interrupted is none.
  [[nodiscard]] bool failed_by_itself(const RankFacts& rank) const;
  [[nodiscard]] bool failed_by_itself() const;          // any rank
  [[nodiscard]] std::optional<Duration> ended() const;  // the last one; nothing while one runs
};

// One that must end well before the trainer starts, and did not.
struct InitContainerFacts {
  std::string name;
  std::int64_t attempt = 0;
  int rank = 0;
  std::optional<int> exit_code = {};  // nothing: it still ran when the run was over
  std::string message = {};           // why it could not be started
  std::string last_output = {};       // of its output: some lines
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
  std::string what = {};  // what differs, or why they could not be compared
};

struct JobFacts {
  enum class Outcome { Running, Complete, Failed, Stalled, Suspended };
  std::string name;
  Outcome outcome = Outcome::Running;
  std::string message = {};  // why, where it is no success
  std::vector<AttemptFacts> attempts = {};
  std::vector<InitContainerFacts> init_containers = {};
  std::vector<std::string> elsewhere = {};       // what looks like a checkpoint and is not on the volume
  std::vector<std::string> not_laid_out = {};    // on the volume, and not complete to the agent: each with why
  std::string checkpoint_path = {};              // as the trainer sees it
  std::int64_t bytes_used = 0, bytes_there = 0;  // of the volume: at most, and as the claim asks; 0: it does not say
  std::string disk_full = {};                    // why this machine's disk is taken to be full; empty: it is not
  bool notice_by_request = false;                // spec.checkpoint.onNotice asks by signal or file
  std::int64_t grace_seconds = 0;
  WeightsFacts weights = {};
  Duration start_limit{0};  // what a start may take, of this machine's time

  // The newest of those that keep the newest attempt, or the one after it, from its start; nullptr: none does.
  [[nodiscard]] const InitContainerFacts* kept_from_start() const;
  // What comes after a notice comes by its own pace: nothing but SIGTERM was to tell the trainer, which ignored it.
  [[nodiscard]] bool deaf(const AttemptFacts& attempt) const {
    return !notice_by_request && (attempt.ignored_sigterm() || attempt.trained_on());
  }
};

}  // namespace reprise::rehearsal
