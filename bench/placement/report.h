// What the parts of bench/placement share: traces at hand, and a table of thresholds with what was reached.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/placement/trace.h"

namespace reprise::bench {

class Report {
 public:
  void at_least(std::string_view what, double reached, double threshold) {
    row(what, reached, ">=", threshold, reached >= threshold);
  }
  void at_most(std::string_view what, double reached, double threshold) {
    row(what, reached, "<=", threshold, reached <= threshold);
  }
  void within(std::string_view what, double reached, double expected, double tolerance);
  void section(std::string_view title);
  void skipped(std::string_view what);

  [[nodiscard]] bool all_reached() const { return missed_ == 0; }
  void summary() const;

 private:
  void row(std::string_view what, double reached, const char* relation, double threshold, bool good);

  int rows_ = 0;
  int missed_ = 0;
};

// The traces of one directory; a zone's prices come with them where there is a file of prices.
class Traces {
 public:
  explicit Traces(std::string directory) : directory_(std::move(directory)) {}
  [[nodiscard]] bool has(const std::string& file) const;
  // Ends the program with a message when the file cannot be read or is wrong.
  [[nodiscard]] controllers::placement::Trace read(const std::string& file,
                                                   const std::vector<std::string>& prices = {}) const;

 private:
  std::string directory_;
};

void single_zone(const Traces& traces, Report& report);
void several_zones(const Traces& traces, Report& report);
void checkpoints(const Traces& traces, Report& report);
void speed(Report& report);

}  // namespace reprise::bench
