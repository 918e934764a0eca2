// One step of the backward induction behind ValueTable: from the values at one time left to those a step earlier.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "controllers/placement/policy/types.h"

namespace reprise::controllers::placement {

struct Climate {
  double theta_up = 1;    // how much more often than typical spot is lost here
  double theta_down = 1;  // how much more often than typical an outage ends here
};

struct ValueQuestion {
  double changeover = 0;
  double on_demand_price = 0;
  double spot_price = 0;
  Climate climate;
  double failover = 0;  // the chance that spot of the same kind is up at once, elsewhere, when a spell ends
};

constexpr std::size_t kAgeBuckets = 8;
constexpr std::size_t kLayerRows = 5 * kAgeBuckets;

[[nodiscard]] std::size_t age_bucket(double age);
// The row of a layer that holds these states; each row has a value per unit of slack.
[[nodiscard]] std::size_t layer_row(Mode mode, bool up, std::size_t bucket);

class BackwardInduction {
 public:
  // A step lasts `units` changeovers; rows hold `width` slacks.
  BackwardInduction(const ValueQuestion& question, std::size_t units, std::size_t width);

  // `layer` becomes the values `k` steps before the end, `below` holds those k - 1 steps before it; layer 0 is all 0.
  void step(std::size_t k, const float* below, float* layer);

 private:
  struct Drift {  // a spell's, within one step
    float ends;   // the chance that it ends
    float stays;  // the chance that it lasts and counts as of the same age
    float ages;   // the chance that it lasts and counts as older
  };
  using Drifts = std::array<Drift, kAgeBuckets>;

  [[nodiscard]] static Drifts drifts(const struct Lindy& law, double theta, double step);
  void price(double time);
  void expect(const float* below);
  void choose(std::size_t bucket, float* layer);
  [[nodiscard]] float* expected(std::size_t row) { return expected_.data() + row * (pad_ + width_) + pad_; }

  ValueQuestion question_;
  std::size_t units_;
  std::size_t width_;
  std::size_t pad_;  // infeasible slacks in front of each expected row
  double step_;
  Drifts up_;
  Drifts down_;
  std::vector<float> expected_;
  std::vector<float> fallen_idle_, fallen_paid_;  // values once spot has ended
  std::vector<float> work_;                       // by slack, negated: hours of work that are left
  std::vector<float> spot_, spot_start_, paid_, paid_start_, all_paid_, all_paid_start_;  // running costs by slack
};

}  // namespace reprise::controllers::placement
