// Why something can never be had, in words that lint, the pool's condition, the job's condition and `why` share.
#pragma once

#include <string>

namespace reprise::controllers::rentable {

struct Misfit {
  std::string field;  // "spec.instanceTypes"
  std::string found;  // "found g4dn.xlarge, which ...; change one of the two"
  [[nodiscard]] std::string text() const { return field + ": " + found; }
  friend bool operator==(const Misfit&, const Misfit&) = default;
};

}  // namespace reprise::controllers::rentable
