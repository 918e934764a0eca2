// The memory of spot in one zone: four numbers and the present spell. Shared by all jobs of a pool, small enough for
// the pool's status, and mergeable, so that several observers of a zone add up.
#pragma once

#include <optional>

namespace reprise::controllers::placement {

// Ends of spells counted, and the ends that a typical zone would have shown over the same spells; both fade.
struct SpellCount {
  double ended = 0;
  double expected = 0;

  // theta: how much more often than typical spells end here, drawn towards 1 while little has been seen.
  [[nodiscard]] double theta() const;
};

class ZoneMemory {
 public:
  // Spot in this zone was seen up or down now, `since` hours after the last call (0: the first sight, or again at once;
  // a clock that went back counts as 0).
  void observe(bool up, double since);

  // Seen `since` hours after the last call by somebody who did not look in between: counts nothing, since what happened
  // meanwhile is not known, and guesses the age of the spell.
  void glimpse(bool up, double since);
  // The age that glimpse(true, since) would guess: 1 h where the zone was never seen; where it was last seen up, the
  // time since then, at least 1 h; where it was down, half the time since then, at most 1 h.
  [[nodiscard]] double guessed_age(double since) const;

  [[nodiscard]] bool seen() const { return up_.has_value(); }
  [[nodiscard]] bool up() const { return up_.value_or(false); }
  [[nodiscard]] double age() const { return age_; }  // hours of the present spell, as far as known
  [[nodiscard]] double theta_up() const { return ups_.theta(); }
  [[nodiscard]] double theta_down() const { return outages_.theta(); }
  [[nodiscard]] const SpellCount& ups() const { return ups_; }
  [[nodiscard]] const SpellCount& outages() const { return outages_; }

  // A memory as it was kept somewhere: counts, the present spell and its age. A number that cannot be (negative, not a
  // number) counts as 0.
  [[nodiscard]] static ZoneMemory restored(SpellCount ups, SpellCount outages, std::optional<bool> up, double age);
  // Both sights of the same zone, taken at the same time, each of spells the other did not see. The present spell is
  // the one that was watched for longer, a loss where both know as little; so the order does not matter.
  [[nodiscard]] static ZoneMemory merged(const ZoneMemory& a, const ZoneMemory& b);

 private:
  SpellCount ups_;
  SpellCount outages_;
  std::optional<bool> up_;
  double age_ = 0;
};

}  // namespace reprise::controllers::placement
