// Replays jobs over the traces of the directories and prints the figures against each threshold; exit code 1 when one
// was missed.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "apps/common/flags.h"
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

namespace {

namespace flags = reprise::apps::flags;

flags::po::options_description known_flags() {
  flags::po::options_description known("Flags of bench_placement");
  known.add_options()("traces", flags::many(), "a directory of traces; may be given several times")(
      "no-times", flags::po::bool_switch(), "leave out what takes long to measure")(
      "decisions", flags::po::bool_switch(), "print when on-demand is bought, and nothing else");
  return known;
}

int run(const flags::po::variables_map& given) {
  if (flags::is_set(given, "decisions")) {
    reprise::bench::print_decisions();
    return 0;
  }
  std::vector<std::string> directories{"../shared/traces", "tests/data/traces"};
  if (given.contains("traces")) directories = given["traces"].as<std::vector<std::string>>();
  const reprise::bench::Traces traces(directories);
  reprise::bench::Report report;
  reprise::bench::single_zone(traces, report);
  reprise::bench::several_zones(traces, report);
  reprise::bench::checkpoints(traces, report);
  if (!flags::is_set(given, "no-times")) reprise::bench::speed(report);
  report.summary();
  return report.all_reached() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto known = known_flags();
  try {
    return run(flags::parse(known, {argv + 1, argv + argc}));
  } catch (const flags::Wrong& wrong) {
    std::cerr << "bench_placement: " << wrong.text << '\n' << known;
    return 2;
  }
}
