// The defaults of `reprise estimate`: a trace that comes with the program, and the usual price of spot.
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

// The usual hours of work, or less: so many as fit the deadline, and twice into the trace, with the usual slack.
[[nodiscard]] double usual_work(const controllers::placement::Trace& trace,
                                const controllers::placement::EstimateRequest& request);

// The file itself if there is one; else the trace of that name, with or without .csv, that comes with the program,
// which lies in `programs`: installed ../share/reprise/traces, in a build tree tests/data/traces. Empty: neither is
// there.
[[nodiscard]] std::optional<std::string> trace_file(const std::string& named, const std::filesystem::path& programs);
// The names of the traces that come with the program, without files of prices.
[[nodiscard]] std::vector<std::string> trace_names(const std::filesystem::path& programs);

struct PricedTrace {
  controllers::placement::Trace trace;
  std::string note;  // assumed prices; empty: none
};
// Sets the spot price to its usual share of on-demand in zones without one, unless the request names one.
[[nodiscard]] PricedTrace with_usual_spot_prices(controllers::placement::Trace trace,
                                                 const controllers::placement::EstimateRequest& request);

}  // namespace reprise::apps
