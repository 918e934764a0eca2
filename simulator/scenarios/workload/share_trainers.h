// Trainers of attempts that run on a share, beside which another attempt could write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/actors/actors.h"

namespace reprise::simulator {

struct ShareTrainer {
  std::string job_uid, machine, volume;
  std::int64_t attempt = 0;
};

// Returns the trainers in the order of their pods, as the API server shows them.
[[nodiscard]] std::vector<ShareTrainer> trainers_on_shares(Actors& actors);

// The attempt of a pod; 0, empty: it belongs to none.
[[nodiscard]] std::int64_t attempt_of(const Value& pod);
[[nodiscard]] std::string_view job_uid_of(const Value& pod);
[[nodiscard]] bool runs(const Value& pod);

}  // namespace reprise::simulator
