#include "controllers/placement/policy/checkpoint_advice.h"

#include <algorithm>
#include <cmath>

#include "controllers/placement/policy/hazard.h"

namespace reprise::controllers::placement {
namespace {

constexpr double kLongest = 2;  // hours: what may be lost however stable spot has been
// The hazard that pays for checkpoints is that of all losses, also of those that are rare: a little flatter than the
// law that placement uses.
constexpr Lindy kLosses{.alpha = 0.8, .beta = 0.5};

}  // namespace

double daly_interval(double write, double between_losses) {
  if (write >= 2 * between_losses) return between_losses;
  const double x = write / (2 * between_losses);
  return std::sqrt(2 * write * between_losses) * (1 + std::sqrt(x) / 3 + x / 9) - write;
}

double checkpoint_interval(double write, double age, double theta_up) {
  const double between_losses = (kLosses.beta + age) / (kLosses.alpha * theta_up);
  const double least = 2 * write;
  return std::clamp(daly_interval(write, between_losses), least, std::max(least, kLongest));
}

}  // namespace reprise::controllers::placement
