#include "controllers/placement/policy/backward_induction.h"

#include <algorithm>
#include <cmath>

#include "controllers/placement/policy/hazard.h"

namespace reprise::controllers::placement {
namespace {

constexpr std::array<double, kAgeBuckets> kAgeFrom{0, 1.0 / 6, 1.0 / 3, 2.0 / 3, 4.0 / 3, 8.0 / 3, 16.0 / 3, 32.0 / 3};
constexpr double kOldestWidth = 2 * kAgeFrom.back();
constexpr float kInfeasible = 1e7F;

enum Row : std::size_t {
  kIdleUp = 0,
  kIdleDown = kAgeBuckets,
  kSpot = 2 * kAgeBuckets,
  kPaidUp = 3 * kAgeBuckets,
  kPaidDown = 4 * kAgeBuckets
};

float lesser(float a, float b) {
  return a < b ? a : b;
}

// Short loops over few rows each, so that the compiler can see that it may do several slacks at a time.
void set_capped(float* __restrict out, const float* __restrict cost, const float* __restrict then,
                const float* __restrict cap, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out[i] = lesser(cost[i] + then[i], cap[i]);
}

void lower_to(float* __restrict out, const float* __restrict cap, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out[i] = lesser(out[i], cap[i]);
}

void lower_to_sum(float* __restrict out, const float* __restrict cost, const float* __restrict then,
                  std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out[i] = lesser(out[i], cost[i] + then[i]);
}

}  // namespace

std::size_t age_bucket(double age) {
  std::size_t bucket = kAgeBuckets - 1;
  while (bucket > 0 && age < kAgeFrom[bucket]) --bucket;
  return bucket;
}

std::size_t layer_row(Mode mode, bool up, std::size_t bucket) {
  switch (mode) {
    case Mode::Idle:
      return (up ? kIdleUp : kIdleDown) + bucket;
    case Mode::Spot:
      return kSpot + bucket;
    case Mode::OnDemand:
      return (up ? kPaidUp : kPaidDown) + bucket;
  }
  return kIdleDown + bucket;
}

BackwardInduction::Drifts BackwardInduction::drifts(const Lindy& law, double theta, double step) {
  Drifts drifts{};
  for (std::size_t b = 0; b < kAgeBuckets; ++b) {
    const bool oldest = b + 1 == kAgeBuckets;
    const double width = oldest ? kOldestWidth : kAgeFrom[b + 1] - kAgeFrom[b];
    const double ends = -std::expm1(-theta * cumulative_hazard(law, kAgeFrom[b], width) / width * step);
    const double ages = oldest ? 0 : std::min(1.0, step / width);
    drifts[b] = {.ends = static_cast<float>(ends),
                 .stays = static_cast<float>((1 - ends) * (1 - ages)),
                 .ages = static_cast<float>((1 - ends) * ages)};
  }
  return drifts;
}

BackwardInduction::BackwardInduction(const ValueQuestion& question, std::size_t units, std::size_t width)
    : question_(question),
      units_(units),
      width_(width),
      pad_(std::max<std::size_t>(units, 1)),
      step_(question.changeover * static_cast<double>(units)),
      up_(drifts(kSpotSpells, question.climate.theta_up, step_)),
      down_(drifts(kOutages, question.climate.theta_down, step_)),
      expected_(kLayerRows * (pad_ + width), kInfeasible),
      fallen_idle_(width),
      fallen_paid_(width),
      work_(width),
      spot_(width),
      spot_start_(width),
      paid_(width),
      paid_start_(width),
      all_paid_(width),
      all_paid_start_(width) {}

void BackwardInduction::price(double time) {
  const auto unit = static_cast<float>(question_.changeover);
  const auto step = static_cast<float>(step_);
  const auto from = static_cast<float>(time);
  const auto on_spot = static_cast<float>(question_.spot_price);
  const auto on_demand = static_cast<float>(question_.on_demand_price);
  for (std::size_t i = 0; i < width_; ++i) work_[i] = lesser(0.0F, static_cast<float>(i) * unit - from);
  const float* __restrict owed = work_.data();
  const auto fill = [&](std::vector<float>& row, float usd, float start, float longest) {
    float* __restrict out = row.data();
    for (std::size_t i = 0; i < width_; ++i) out[i] = usd * lesser(longest, start - owed[i]);
  };
  fill(spot_, on_spot, 0, step);
  fill(paid_, on_demand, 0, step);
  fill(all_paid_, on_demand, 0, kInfeasible);
  fill(spot_start_, on_spot, unit, step);
  fill(paid_start_, on_demand, unit, step);
  fill(all_paid_start_, on_demand, unit, kInfeasible);
  // A start costs one unit of slack; on spot one more must remain for on-demand should it be lost.
  spot_start_[0] = spot_start_[1] = paid_start_[0] = all_paid_start_[0] = kInfeasible;
}

void BackwardInduction::expect(const float* below) {
  const auto row = [&](std::size_t r) { return below + r * width_; };
  const auto blend = [&](float* __restrict out, const float* down, const float* up) {
    const auto elsewhere = static_cast<float>(question_.failover);
    for (std::size_t i = 0; i < width_; ++i) out[i] = (1 - elsewhere) * down[i] + elsewhere * up[i];
  };
  blend(fallen_idle_.data(), row(kIdleDown), row(kIdleUp));
  blend(fallen_paid_.data(), row(kPaidDown), row(kPaidUp));
  const auto mean = [&](std::size_t first, const float* over, const Drifts& drifts) {
    for (std::size_t b = 0; b < kAgeBuckets; ++b) {
      const float* here = row(first + b);
      const float* older = row(first + std::min(b + 1, kAgeBuckets - 1));
      float* __restrict out = expected(first + b);
      const Drift drift = drifts[b];
      for (std::size_t i = 0; i < width_; ++i)
        out[i] = drift.stays * here[i] + drift.ages * older[i] + drift.ends * over[i];
    }
  };
  mean(kIdleUp, fallen_idle_.data(), up_);
  mean(kIdleDown, row(kIdleUp), down_);
  mean(kSpot, fallen_idle_.data(), up_);
  mean(kPaidUp, fallen_paid_.data(), up_);
  mean(kPaidDown, row(kPaidUp), down_);
  // Waiting must leave a changeover for on-demand.
  for (std::size_t b = 0; b < kAgeBuckets; ++b) expected(kIdleUp + b)[0] = expected(kIdleDown + b)[0] = kInfeasible;
}

void BackwardInduction::choose(std::size_t bucket, float* layer) {
  const float* const wait_up = expected(kIdleUp + bucket) - units_;
  const float* const wait_down = expected(kIdleDown + bucket) - units_;
  const float* const spot = expected(kSpot + bucket);
  const float* const paid_up = expected(kPaidUp + bucket);
  const float* const paid_down = expected(kPaidDown + bucket);
  // Values after a start: one unit of slack less.
  const float* const spot_begun = spot - 1;
  const float* const paid_up_begun = paid_up - 1;
  const float* const paid_down_begun = paid_down - 1;
  const float* const cost_spot = spot_.data();
  const float* const cost_spot_start = spot_start_.data();
  const float* const cost_paid = paid_.data();
  const float* const cost_paid_start = paid_start_.data();
  const float* const all_paid = all_paid_.data();
  const float* const all_paid_start = all_paid_start_.data();
  float* const out_idle_up = layer + (kIdleUp + bucket) * width_;
  float* const out_idle_down = layer + (kIdleDown + bucket) * width_;
  float* const out_spot = layer + (kSpot + bucket) * width_;
  float* const out_paid_up = layer + (kPaidUp + bucket) * width_;
  float* const out_paid_down = layer + (kPaidDown + bucket) * width_;
  // On-demand costs at most what it costs until the end.
  set_capped(out_idle_down, cost_paid_start, paid_down_begun, all_paid_start, width_);
  lower_to(out_idle_down, wait_down, width_);
  set_capped(out_paid_down, cost_paid, paid_down, all_paid, width_);
  set_capped(out_idle_up, cost_paid_start, paid_up_begun, all_paid_start, width_);
  set_capped(out_spot, cost_spot, spot, out_idle_up, width_);
  lower_to(out_idle_up, wait_up, width_);
  lower_to_sum(out_idle_up, cost_spot_start, spot_begun, width_);
  set_capped(out_paid_up, cost_paid, paid_up, all_paid, width_);
  lower_to_sum(out_paid_up, cost_spot_start, spot_begun, width_);
}

void BackwardInduction::step(std::size_t k, const float* below, float* layer) {
  price(static_cast<double>(k) * step_);
  expect(below);
  for (std::size_t b = 0; b < kAgeBuckets; ++b) choose(b, layer);
  // Without work left there is nothing left to pay.
  const std::size_t done = std::min(width_, k * units_);
  for (std::size_t row = 0; row < kLayerRows; ++row)
    std::fill(layer + row * width_ + done, layer + (row + 1) * width_, 0.0F);
}

}  // namespace reprise::controllers::placement
