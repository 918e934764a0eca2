// The additions of a written status to counters and histograms.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/metrics/metrics.h"

namespace reprise::controllers::metrics {

struct Change {
  std::string_view name;  // in the table (table.h)
  runtime::Labels labels;
  double value = 1;  // added to a counter, observed by a histogram
  bool operator==(const Change&) const = default;
};
using Changes = std::vector<Change>;

}  // namespace reprise::controllers::metrics
