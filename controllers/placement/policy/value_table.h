// The mean cost of the rest of a job, by backward induction over (time left, slack, mode, spot up or down, age of that
// spell): a Markov decision process whose spells are "Lindy" (hazard.h). Slack is counted in changeovers, time in steps
// of a whole number of changeovers, at least 0.2 h; between grid points values are interpolated.
#pragma once

#include <cstddef>
#include <vector>

#include "controllers/placement/policy/backward_induction.h"

namespace reprise::controllers::placement {

class ValueTable {
 public:
  // Solves up to `time_left` and `slack` (hours) and keeps what is needed to look up times left from `time_left` down
  // to `keep` hours less. About 1 ms for 60 h with 12 h of slack and changeovers of 0.2 h; at most 500 units of slack,
  // above which a changeover counts as a 500th of it.
  ValueTable(const ValueQuestion& question, double time_left, double slack, double keep);

  // Mean USD still to be spent; in the millions where the deadline cannot be kept. `age`: hours of the present spell.
  [[nodiscard]] double value(Mode mode, bool up, double age, double time_left, double slack) const;

  [[nodiscard]] bool covers(double time_left, double slack) const;
  [[nodiscard]] std::size_t kept_bytes() const { return layers_.size() * sizeof(float); }

 private:
  double unit_;  // hours per unit of slack: a changeover
  double step_;  // hours per time step
  std::size_t width_;
  std::size_t highest_;  // time steps solved
  std::size_t slots_;    // layers kept: a ring, layer k in slot k % slots_
  std::vector<float> layers_;
};

}  // namespace reprise::controllers::placement
