// What `reprise estimate` takes when nothing is said: a trace that comes with the program, and the usual price of spot.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "controllers/placement/evaluation/estimate.h"
#include "controllers/placement/evaluation/trace.h"

namespace reprise::apps {

inline constexpr const char* kDefaultTrace = "v100x1-9zones-6days";
inline constexpr double kUsualWork = 48, kUsualSlowdown = 1.25;

// Hours: the usual ones, or less: what fits the deadline, and twice into the trace, with the usual slack.
[[nodiscard]] double usual_work(const controllers::placement::Trace& trace,
                                const controllers::placement::EstimateRequest& request);

// The file itself if there is one; else the trace of that name, with or without .csv, that comes with the program,
// which lies in `programs`: installed ../share/reprise/traces, in a build tree tests/data/traces. Nothing: neither is
// there.
[[nodiscard]] std::optional<std::string> trace_file(const std::string& named, const std::filesystem::path& programs);
// The names of those that come with the program; files of prices are none.
[[nodiscard]] std::vector<std::string> trace_names(const std::filesystem::path& programs);

struct PricedTrace {
  controllers::placement::Trace trace;
  std::string note;  // what was assumed; empty: nothing
};
// Spot at its usual share of on-demand in zones without a price of it, unless the request names one.
[[nodiscard]] PricedTrace with_usual_spot_prices(controllers::placement::Trace trace,
                                                 const controllers::placement::EstimateRequest& request);

}  // namespace reprise::apps
