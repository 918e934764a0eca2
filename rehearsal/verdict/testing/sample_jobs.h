// Jobs as a rehearsal has seen them, for tests: one that survives, and ways to spoil it.
#pragma once

#include <utility>

#include "rehearsal/verdict/facts.h"

namespace reprise::rehearsal::testing {

using std::chrono::seconds;

// Trained to step 40, noticed at 30 s, saved step 40 two seconds later, resumed from it, finished.
inline JobFacts survivor() {
  AttemptFacts first{.number = 1};
  first.ranks = {{.rank = 0,
                  .began = seconds(10),
                  .asked = seconds(30),
                  .ended = seconds(33),
                  .exit_code = 143,
                  .on_term = Disposition::Handled,
                  .first_printed = 1,
                  .last_printed = 40}};
  first.checkpoints = {{.step = 20, .at = seconds(20), .bytes = 10}, {.step = 40, .at = seconds(32), .bytes = 10}};
  AttemptFacts second{.number = 2, .resumed_from = 40};
  second.ranks = {{.rank = 0,
                   .began = seconds(60),
                   .ended = seconds(90),
                   .exit_code = 0,
                   .finished = true,
                   .first_printed = 40,
                   .last_printed = 100}};
  second.checkpoints = {{.step = 60, .at = seconds(70), .bytes = 10}};
  return {.name = "a",
          .outcome = JobFacts::Outcome::Complete,
          .attempts = {first, second},
          .checkpoint_path = "/checkpoints",
          .bytes_used = 30,
          .bytes_there = 1000,
          .grace_seconds = 110};
}

// Begins anew by its printed steps, and by checkpoints that bear their numbers.
inline void begin_anew(AttemptFacts& attempt) {
  attempt.ranks[0].first_printed = 1;
  attempt.ranks[0].counts_from = 1;
  attempt.ranks[0].counts_by = 1;
  for (CheckpointFacts& each : attempt.checkpoints) each.printed = each.step;
}

// Ends with an error before it has shown anything.
inline void fail_at_load(AttemptFacts& attempt) {
  attempt.ranks[0].exit_code = 1;
  attempt.ranks[0].finished = false;
  attempt.ranks[0].first_printed.reset();
  attempt.ranks[0].last_printed.reset();
  attempt.checkpoints.clear();
}

inline RankFacts& stopped(JobFacts& job) {
  return job.attempts[0].ranks[0];
}
inline void without_save(JobFacts& job) {
  job.attempts[0].checkpoints.pop_back();
  job.attempts[1].resumed_from = 20;
  job.attempts[1].ranks[0].first_printed = 20;
}
inline void without_checkpoints(JobFacts& job) {
  for (AttemptFacts& each : job.attempts) each.checkpoints.clear();
  job.attempts[1].resumed_from.reset();
}

// Notices at 30, 80 and 130 s; each time saved and resumed.
inline JobFacts three_times() {
  JobFacts job = survivor();
  for (const std::int64_t step : {60, 80}) {
    AttemptFacts& last = job.attempts.back();
    last.ranks[0].asked = last.ranks[0].began + seconds(20);
    last.ranks[0].ended = last.ranks[0].began + seconds(23);
    last.ranks[0].exit_code = 143;
    last.ranks[0].finished = false;
    last.ranks[0].last_printed = step;
    last.checkpoints = {{.step = step, .at = last.ranks[0].began + seconds(21)}};
    AttemptFacts next{.number = last.number + 1, .resumed_from = step};
    next.ranks = {{.began = last.ranks[0].began + seconds(50),
                   .ended = last.ranks[0].began + seconds(90),
                   .finished = true,
                   .first_printed = step,
                   .last_printed = 100}};
    job.attempts.push_back(std::move(next));
  }
  return job;
}

}  // namespace reprise::rehearsal::testing
