// Records the samples of /metrics over time, as one text that Prometheus takes in.
#pragma once

#include <cstddef>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/clock.h"

namespace reprise::apps {

class MetricsRecording {
 public:
  explicit MetricsRecording(const std::string& file) : out_(file) {}

  // Begins a cluster whose time starts anew: its samples follow the earlier ones by a minute.
  void begin_scenario();
  // Adds each sample with its time and the label `pod`.
  void operator()(runtime::WallTime at, std::size_t replica, const std::string& shown);
  // Ends the text. False: not all of it could be written.
  [[nodiscard]] bool finish();

 private:
  std::ofstream out_;
  runtime::WallTime last_{};
  std::optional<runtime::Duration> ahead_;  // added to the scenario's own time
};

// A line of the text format, with a further label and a time in seconds: OpenMetrics. `label`: pod="operator-0".
[[nodiscard]] std::string timed_sample(std::string_view line, std::string_view label, double seconds);

}  // namespace reprise::apps
