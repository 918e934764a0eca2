// Judges what the end of a trainer means: a pure decision. A 0 after any request may be the answer to it and not the
// end of the training: the trainer is started once more, and one that had really finished ends at once from its last
// checkpoint.
#pragma once

namespace reprise::agent {

struct TrainerEnd {
  int exit_code = 0;
  bool stop = false;       // a stop was requested
  bool requested = false;  // a checkpoint was requested, or a signal was passed on
  bool fenced = false;     // ended because another attempt owns the volume
};

struct EndVerdict {
  bool finished = false;
  bool stop_requested = false;
  bool request_only = false;  // ... and that was no stop, but a request that a 0 may be the answer to
  bool operator==(const EndVerdict&) const = default;
};

// A mere request excuses no other code than 0: a crash an hour after it is a crash.
[[nodiscard]] EndVerdict judge_end(const TrainerEnd& end);
// True if a signal that is passed on to the trainer may be meant as a request to save or to end.
[[nodiscard]] bool is_request(int signal, int notice_signal);

}  // namespace reprise::agent
