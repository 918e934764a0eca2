// Finds the trainer that a pod is, by the labels that the operator gives it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "simulator/base/json.h"

namespace reprise::rehearsal {

struct TrainerKey {
  std::string job;  // namespace/name
  std::int64_t attempt = 0;
  int rank = 0;
  friend auto operator<=>(const TrainerKey&, const TrainerKey&) = default;
};

// Empty: no rank of an attempt.
[[nodiscard]] std::optional<TrainerKey> trainer_of(const simulator::Value& pod);

}  // namespace reprise::rehearsal
