// The flags of `reprise simulate`.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "apps/common/usage_text.h"

namespace reprise::apps {

struct SimulateOptions {
  std::uint64_t first_seed = 1, last_seed = 1;
  bool faults = true;
  bool timeline = false;      // the event log of each scenario; of a single one always
  bool replay = false;        // each seed twice: the event logs must be equal
  bool keep_going = false;    // go on after a seed that violates an invariant
  bool until_broken = false;  // end a scenario with the first invariant that it breaks
  std::string operator_log = "off";
  std::string metrics_file;  // file for the operator's metrics, with their virtual time; empty: none
};

// An unknown flag or a bad value is an error that names it and what is allowed.
[[nodiscard]] std::expected<SimulateOptions, UsageText> parse_simulate_options(
    const std::vector<std::string>& arguments);

}  // namespace reprise::apps
