// How `reprise estimate` prints: a table for eyes, JSON for programs, a page that draws one run.
#pragma once

#include <string>

#include "controllers/placement/evaluation/estimate.h"

namespace reprise::apps {

[[nodiscard]] std::string estimate_table(const controllers::placement::Estimate& estimate);
// A list of objects, one per policy and zone, with one of zone "mean" per policy.
[[nodiscard]] std::string estimate_json(const controllers::placement::Estimate& estimate);
// A page that needs nothing else: the table and a drawing of one run under each policy.
[[nodiscard]] std::string estimate_page(const controllers::placement::Estimate& estimate,
                                        const controllers::placement::EstimateRequest& request);

}  // namespace reprise::apps
