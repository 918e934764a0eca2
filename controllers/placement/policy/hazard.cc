#include "controllers/placement/policy/hazard.h"

#include <cmath>

namespace reprise::controllers::placement {

double cumulative_hazard(const Lindy& law, double age, double span) {
  return law.alpha * std::log((law.beta + age + span) / (law.beta + age));
}

double ends_within(const Lindy& law, double theta, double age, double span) {
  return -std::expm1(-theta * cumulative_hazard(law, age, span));
}

double median_remaining(const Lindy& law, double theta, double age) {
  return (law.beta + age) * (std::exp2(1 / (theta * law.alpha)) - 1);
}

double mean_remaining(const Lindy& law, double theta, double age, double horizon) {
  const double scale = law.beta + age;
  const double shape = theta * law.alpha;
  const double stretch = std::log1p(horizon / scale);
  // Integral of the survivor function (scale / (scale + x))^shape; its limit where the exponent vanishes.
  if (std::abs(shape - 1) < 1e-6) return scale * stretch;
  return scale / (shape - 1) * -std::expm1((1 - shape) * stretch);
}

}  // namespace reprise::controllers::placement
