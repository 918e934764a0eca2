// Does a training script survive? The verdict is drawn from the facts of a rehearsal alone.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "rehearsal/verdict/facts.h"
#include "rehearsal/verdict/interruptions.h"
#include "rehearsal/verdict/reason.h"

namespace reprise::rehearsal {

struct Finding {
  Reason reason;
  std::string what;    // "after the notice at 31.0 s no new checkpoint came"
  std::string advice;  // the next thing to do
  bool open = false;   // says nothing about the script, neither good nor bad
  friend bool operator==(const Finding&, const Finding&) = default;
};

struct Verdict {
  std::vector<Finding> findings;    // empty: it survives; causes before their effects
  std::vector<std::string> advice;  // possible improvements of a script that survives
  // Attempts whose interruption was not survived: a finding is about its end, or about how the next attempt went on;
  // all of them where no finding is about one alone. Empty when it survives, and when it failed by itself with all of
  // them behind it.
  std::set<std::size_t> lost;
  // No later event takes a finding back.
  bool settled = false;
  [[nodiscard]] bool survived() const { return findings.empty(); }
  // True when nothing was shown about the script: each finding is about something else.
  [[nodiscard]] bool open() const;
};

[[nodiscard]] Verdict judge(const JobFacts& job);

}  // namespace reprise::rehearsal
