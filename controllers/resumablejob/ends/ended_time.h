// The time at which what ran of an attempt ended, as kubelets say: for people and metrics. No proof rests on a time
// (proof.h).
#pragma once

#include <optional>
#include <vector>

#include "controllers/resumablejob/ranks/ranks.h"

namespace reprise::controllers::resumablejob {

// Looks for the proof of the rank's end, and remembers it together with the time that the kubelet's report gives.
void remember_end(const Observation& seen, Rank& rank);

// The time at which the last container of all of them ended; empty where one ended in another way than by its kubelet's
// report, or none ever ran.
[[nodiscard]] std::optional<kube::Time> ended_time(const std::vector<Rank>& ranks);

}  // namespace reprise::controllers::resumablejob
