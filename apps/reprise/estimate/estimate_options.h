// The flags of `reprise estimate` and `reprise trace-from-events`.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "apps/common/usage_text.h"
#include "controllers/placement/evaluation/estimate.h"

namespace reprise::apps {

enum class EstimateOutput { Table, Json, Html };

struct EstimateOptions {
  std::vector<std::string> traces;  // files, or names of those that come with the program
  std::vector<std::string> prices;
  std::vector<std::string> zones;  // empty: all
  controllers::placement::EstimateRequest request;
  EstimateOutput output = EstimateOutput::Table;
  std::vector<std::string> assumed;  // flags that were not given, with the values taken
  bool work_assumed = false;         // --work-hours is yet to be assumed, from the trace
};

struct EventsOptions {
  std::string events;
  std::string objects;  // empty: none
  std::string zone;
  int gap_seconds = 300;
};

// An unknown flag, a bad value, or flags that exclude each other are errors that name them and what is allowed.
[[nodiscard]] std::expected<EstimateOptions, UsageText> parse_estimate_options(
    const std::vector<std::string>& arguments);
[[nodiscard]] std::expected<EventsOptions, UsageText> parse_events_options(const std::vector<std::string>& arguments);

}  // namespace reprise::apps
