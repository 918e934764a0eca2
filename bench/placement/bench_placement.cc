// bench_placement [--traces DIR]... [--no-times]: replays jobs over the traces of the directories and prints what was
// reached against each threshold; exit code 1 when one was missed.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/placement/report.h"

namespace reprise::bench {

namespace placement = controllers::placement;

void Report::row(std::string_view what, double reached, const char* relation, double threshold, bool good) {
  std::printf("%-46.*s %10.3f %10s %9.3f  %s\n", static_cast<int>(what.size()), what.data(), reached, relation,
              threshold, good ? "reached" : "MISSED");
  std::fflush(stdout);
  ++rows_;
  missed_ += good ? 0 : 1;
}

void Report::within(std::string_view what, double reached, double expected, double tolerance) {
  const std::string relation = "+-" + std::to_string(tolerance).substr(0, 4) + " of";
  row(what, reached, relation.c_str(), expected, reached >= expected - tolerance && reached <= expected + tolerance);
}

void Report::section(std::string_view title) {
  std::printf("\n%.*s\n", static_cast<int>(title.size()), title.data());
}

void Report::skipped(std::string_view what) {
  std::printf("%-46.*s not measured: the trace is not in this directory\n", static_cast<int>(what.size()), what.data());
}

void Report::summary() const {
  std::printf("\n%d of %d thresholds reached\n", rows_ - missed_, rows_);
}

std::string Traces::path_of(const std::string& file) const {
  for (const std::string& directory : directories_) {
    const std::string path = directory + "/" + file;
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

bool Traces::has(const std::string& file) const {
  return !path_of(file).empty();
}

placement::Trace Traces::read(const std::string& file, const std::vector<std::string>& prices) const {
  const auto text = [&](const std::string& name) {
    std::ifstream in(path_of(name));
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  };
  auto trace = placement::read_trace(file, text(file));
  for (const std::string& name : prices) {
    if (trace) trace = placement::with_prices(std::move(*trace), name, text(name));
  }
  if (trace) return std::move(*trace);
  std::fprintf(stderr, "bench_placement: %s\n", trace.error().message.c_str());
  std::exit(2);
}

}  // namespace reprise::bench

int main(int argc, char** argv) {
  std::vector<std::string> directories;
  bool times = true;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--traces" && i + 1 < argc) {
      directories.emplace_back(argv[++i]);
    } else if (argument == "--no-times") {
      times = false;
    } else if (argument == "--decisions") {
      reprise::bench::print_decisions();
      return 0;
    } else {
      std::fprintf(stderr, "usage: bench_placement [--traces DIR]... [--no-times] | --decisions\n");
      return 2;
    }
  }
  if (directories.empty()) directories = {"../shared/traces", "tests/data/traces"};
  const reprise::bench::Traces traces(directories);
  reprise::bench::Report report;
  reprise::bench::single_zone(traces, report);
  reprise::bench::several_zones(traces, report);
  reprise::bench::checkpoints(traces, report);
  if (times) reprise::bench::speed(report);
  report.summary();
  return report.all_reached() ? 0 : 1;
}
