// How spells of spot end. In every data set known the chance to lose spot falls with the age of the spell, and so does
// the chance that an outage ends ("Lindy"): spot that has lasted 3 h will probably last another 3 h, a fresh one dies
// within the hour. hazard per hour = theta * alpha / (beta + age); theta is what sets one zone apart from another
// (1 = typical, 2 = ends twice as often).
#pragma once

namespace reprise::controllers::placement {

struct Lindy {
  double alpha;
  double beta;  // hours
};

constexpr Lindy kSpotSpells{.alpha = 1.0, .beta = 0.7};
constexpr Lindy kOutages{.alpha = 1.8, .beta = 0.4};

// Hazard summed over [age, age + span], for theta = 1.
[[nodiscard]] double cumulative_hazard(const Lindy& law, double age, double span);

// The chance that a spell of this age ends within `span`.
[[nodiscard]] double ends_within(const Lindy& law, double theta, double age, double span);

// Half of all spells of this age last longer than this.
[[nodiscard]] double median_remaining(const Lindy& law, double theta, double age);

// Mean of min(remaining life, horizon).
[[nodiscard]] double mean_remaining(const Lindy& law, double theta, double age, double horizon);

}  // namespace reprise::controllers::placement
