#include "controllers/placement/backward_induction.h"

#include <algorithm>
#include <cmath>

#include "controllers/placement/hazard.h"

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
      spot_(width),
      spot_start_(width),
      paid_(width),
      paid_start_(width),
      all_paid_(width),
      all_paid_start_(width) {}

void BackwardInduction::price(double time) {
  for (std::size_t i = 0; i < width_; ++i) {
    const double work = std::max(0.0, time - static_cast<double>(i) * question_.changeover);
    const double run = std::min(step_, work);
    const double run_start = std::min(step_, work + question_.changeover);
    spot_[i] = static_cast<float>(question_.spot_price * run);
    paid_[i] = static_cast<float>(question_.on_demand_price * run);
    all_paid_[i] = static_cast<float>(question_.on_demand_price * work);
    // A start costs one unit of slack; on spot one more must remain for on-demand should it be lost.
    spot_start_[i] = i >= 2 ? static_cast<float>(question_.spot_price * run_start) : kInfeasible;
    paid_start_[i] = i >= 1 ? static_cast<float>(question_.on_demand_price * run_start) : kInfeasible;
    all_paid_start_[i] =
        i >= 1 ? static_cast<float>(question_.on_demand_price * (work + question_.changeover)) : kInfeasible;
  }
}

void BackwardInduction::expect(const float* below) {
  const auto row = [&](std::size_t r) { return below + r * width_; };
  const auto elsewhere = static_cast<float>(question_.failover);
  for (std::size_t i = 0; i < width_; ++i) {
    fallen_idle_[i] = (1 - elsewhere) * row(kIdleDown)[i] + elsewhere * row(kIdleUp)[i];
    fallen_paid_[i] = (1 - elsewhere) * row(kPaidDown)[i] + elsewhere * row(kPaidUp)[i];
  }
  const auto mean = [&](std::size_t first, const float* over, const Drifts& drifts) {
    for (std::size_t b = 0; b < kAgeBuckets; ++b) {
      const float* here = row(first + b);
      const float* older = row(first + std::min(b + 1, kAgeBuckets - 1));
      float* out = expected(first + b);
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
  float* const out_idle_up = layer + (kIdleUp + bucket) * width_;
  float* const out_idle_down = layer + (kIdleDown + bucket) * width_;
  float* const out_spot = layer + (kSpot + bucket) * width_;
  float* const out_paid_up = layer + (kPaidUp + bucket) * width_;
  float* const out_paid_down = layer + (kPaidDown + bucket) * width_;
  // Five short loops rather than one: each reads and writes few enough rows to be done several slacks at a time.
  for (std::size_t i = 0; i < width_; ++i) {  // on-demand from here, at most until the end
    const float step = paid_start_[i] + paid_down[static_cast<std::ptrdiff_t>(i) - 1];
    out_idle_down[i] = std::min(std::min(step, all_paid_start_[i]), wait_down[i]);
  }
  for (std::size_t i = 0; i < width_; ++i) out_paid_down[i] = std::min(paid_[i] + paid_down[i], all_paid_[i]);
  for (std::size_t i = 0; i < width_; ++i) {
    const float buy = std::min(paid_start_[i] + paid_up[static_cast<std::ptrdiff_t>(i) - 1], all_paid_start_[i]);
    out_spot[i] = std::min(spot_[i] + spot[i], buy);
    out_idle_up[i] = std::min(buy, wait_up[i]);
  }
  for (std::size_t i = 0; i < width_; ++i) {
    const float take = spot_start_[i] + spot[static_cast<std::ptrdiff_t>(i) - 1];
    out_idle_up[i] = std::min(out_idle_up[i], take);
    out_paid_up[i] = std::min(std::min(paid_[i] + paid_up[i], all_paid_[i]), take);
  }
}

void BackwardInduction::step(std::size_t k, const float* below, float* layer) {
  price(static_cast<double>(k) * step_);
  expect(below);
  for (std::size_t b = 0; b < kAgeBuckets; ++b) choose(b, layer);
  // Where no work is left nothing is left to pay.
  const std::size_t done = std::min(width_, k * units_);
  for (std::size_t row = 0; row < kLayerRows; ++row)
    std::fill(layer + row * width_ + done, layer + (row + 1) * width_, 0.0F);
}

}  // namespace reprise::controllers::placement
