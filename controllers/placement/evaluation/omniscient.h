// The least that a job could have cost had all of the market been known beforehand. A bound to measure by, not a
// policy.
#pragma once

#include <cstddef>

#include "controllers/placement/evaluation/market.h"
#include "controllers/placement/evaluation/replay.h"

namespace reprise::controllers::placement {

// A lower bound on the cost of every way to do the job in time: ticks are chosen freely among idle, on-demand and spot
// where it is up, such that hours run less one changeover per start make up the work. Solved by giving an hour of work
// a price and looking for the price at which just enough is bought; hours and starts are those of the mixture of the
// two best plans there. Needs a deadline.
[[nodiscard]] Outcome omniscient(const Terms& terms, const Market& market, std::size_t first);

}  // namespace reprise::controllers::placement
