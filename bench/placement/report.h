// Shared parts of bench/placement: traces at hand, and a table of thresholds with the figures reached.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/placement/evaluation/trace.h"

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

// Finds trace files by name, in the first directory that has them.
class Traces {
 public:
  explicit Traces(std::vector<std::string> directories) : directories_(std::move(directories)) {}
  [[nodiscard]] bool has(const std::string& file) const;
  // Ends the program with a message when the file cannot be read or is wrong.
  [[nodiscard]] controllers::placement::Trace read(const std::string& file,
                                                   const std::vector<std::string>& prices = {}) const;

 private:
  [[nodiscard]] std::string path_of(const std::string& file) const;  // empty: in none

  std::vector<std::string> directories_;
};

void single_zone(const Traces& traces, Report& report);
void several_zones(const Traces& traces, Report& report);
void checkpoints(const Traces& traces, Report& report);
void speed(Report& report);
// Prints "slack,outage": the age of an outage from which on-demand is bought, by hours of slack.
void print_decisions();

}  // namespace reprise::bench
