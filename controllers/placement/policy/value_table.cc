#include "controllers/placement/policy/value_table.h"

#include <algorithm>
#include <cmath>

namespace reprise::controllers::placement {
namespace {

constexpr double kStep = 0.2;       // hours, at least
constexpr double kRounding = 1e-9;  // for sums of tenths of hours
// The most units of slack; a changeover shorter than a 500th of the slack is solved as if it took so long.
constexpr double kMostUnits = 500;
constexpr double kShortest = 1.0 / 60;  // hours; a changeover shorter than this is solved as if it took so long

std::size_t units_per_step(double changeover) {
  return static_cast<std::size_t>(std::ceil(kStep / changeover - kRounding));
}

std::size_t count(double hours, double grid) {
  return static_cast<std::size_t>(std::ceil(std::max(0.0, hours) / grid));
}

}  // namespace

ValueTable::ValueTable(const ValueQuestion& question, double time_left, double slack, double keep)
    : unit_(std::max({question.changeover, kShortest, slack / kMostUnits})),
      step_(unit_ * static_cast<double>(units_per_step(unit_))),
      width_(count(slack, unit_) + 3),
      highest_(std::max<std::size_t>(count(time_left, step_), 1)),
      slots_(std::min(count(keep, step_) + 2, highest_ + 1)),
      layers_(slots_ * kLayerRows * width_) {
  ValueQuestion asked = question;
  asked.changeover = unit_;
  BackwardInduction induction(asked, units_per_step(unit_), width_);
  const std::size_t size = kLayerRows * width_;
  for (std::size_t k = 1; k <= highest_; ++k)
    induction.step(k, layers_.data() + (k - 1) % slots_ * size, layers_.data() + k % slots_ * size);
}

bool ValueTable::covers(double time_left, double slack) const {
  return time_left <= static_cast<double>(highest_) * step_ + kRounding &&
         time_left >= static_cast<double>(highest_ + 1 - slots_) * step_ &&
         slack <= static_cast<double>(width_ - 1) * unit_;
}

double ValueTable::value(Mode mode, bool up, double age, double time_left, double slack) const {
  if (time_left - slack <= 0) return 0;
  const double time =
      std::clamp(time_left / step_, static_cast<double>(highest_ + 1 - slots_), static_cast<double>(highest_));
  const double units = std::clamp(slack / unit_ + kRounding, 0.0, static_cast<double>(width_ - 1));
  const auto k = std::min(static_cast<std::size_t>(time), highest_ - 1);
  const auto i = std::min(static_cast<std::size_t>(units), width_ - 2);
  const double later = time - static_cast<double>(k);
  const double more = std::max(0.0, units - static_cast<double>(i) - 2 * kRounding);
  const std::size_t at = layer_row(mode, up, age_bucket(age)) * width_ + i;
  const auto between = [&](std::size_t layer) {
    const float* row = layers_.data() + layer % slots_ * kLayerRows * width_ + at;
    return (1 - more) * static_cast<double>(row[0]) + more * static_cast<double>(row[1]);
  };
  return (1 - later) * between(k) + later * between(k + 1);
}

}  // namespace reprise::controllers::placement
