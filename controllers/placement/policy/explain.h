// One sentence that says why a job runs where it runs, with the numbers the decision rests on: for the condition
// OnSchedule, the event and `why`.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "controllers/placement/policy/types.h"
#include "controllers/placement/policy/zones/zone_memory.h"
#include "controllers/placement/policy/zones/zones.h"

namespace reprise::controllers::placement {

// `decided`: what was decided in `now` for `zone_name`, whose memory already counts this moment. `clock`: the time of
// day that "before 14:10" is said in; none: "within the next 2.5 h".
// "spot up 3.2 h in zone-b, likely to last 4.1 h more; 7.5 h of slack; on-demand not needed before 14:10"
[[nodiscard]] std::string explain(const Terms& terms, const Situation& now, Mode decided, const ZoneMemory& zone,
                                  std::string_view zone_name,
                                  std::optional<std::chrono::sys_seconds> clock = std::nullopt);

// The same for a job that may run in several zones: `zone` is where it runs now, `standings` what was thought of each
// zone (LindyZonesPolicy::standings), of which the best others are named with their numbers.
// "spot up 3.2 h in us-west-2b, likely to last 4.1 h more, yields $1.42/h; us-west-2a would yield $1.10/h, us-east-1c
// $0.20/h; 7.5 h of slack; on-demand not needed before 14:10"
[[nodiscard]] std::string explain_zones(const Terms& terms, const Situation& now, Mode decided, std::string_view zone,
                                        std::span<const ZoneStanding> standings,
                                        std::optional<std::chrono::sys_seconds> clock = std::nullopt);

}  // namespace reprise::controllers::placement
