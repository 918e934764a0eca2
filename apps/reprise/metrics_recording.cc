#include "apps/reprise/metrics_recording.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace reprise::apps {

std::string timed_sample(std::string_view line, std::string_view label, double seconds) {
  const auto value = line.rfind(' ');
  const std::string_view series = line.substr(0, value);
  const auto brace = series.find('{');
  const std::string labelled = brace == std::string_view::npos ? fmt::format("{}{{{}}}", series, label)
                                                               : fmt::format("{}{},{}", series.substr(0, brace + 1),
                                                                             label, series.substr(brace + 1));
  return fmt::format("{} {} {:.3f}\n", labelled, line.substr(value + 1), seconds);
}

void MetricsRecording::operator()(runtime::WallTime at, std::size_t replica, const std::string& shown) {
  if (!ahead_) {
    const bool first = last_ == runtime::WallTime{};
    ahead_ =
        first ? runtime::Duration{0} : std::chrono::ceil<std::chrono::minutes>(last_ - at) + std::chrono::minutes(1);
  }
  last_ = at + *ahead_;
  const double seconds = std::chrono::duration<double>(last_.time_since_epoch()).count();
  const std::string label = fmt::format("pod=\"operator-{}\"", replica);
  for (std::size_t begin = 0; begin < shown.size();) {
    const std::size_t end = std::min(shown.find('\n', begin), shown.size());
    const std::string_view line(shown.data() + begin, end - begin);
    if (!line.empty() && !line.starts_with('#')) out_ << timed_sample(line, label, seconds);
    begin = end + 1;
  }
}

void MetricsRecording::begin_scenario() {
  ahead_.reset();
}

bool MetricsRecording::finish() {
  out_ << "# EOF\n";
  out_.close();
  return !out_.fail();
}

}  // namespace reprise::apps
