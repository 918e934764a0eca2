#include "apps/reprise/simulate/simulate_options.h"

#include <boost/program_options/value_semantic.hpp>
#include <charconv>
#include <optional>
#include <sstream>

#include "apps/common/flags.h"

namespace reprise::apps {
namespace {

using flags::Wrong;

constexpr const char* kBegin =
    "Usage: reprise simulate (--seed N | --seeds FIRST..LAST) [flags]\n"
    "\n"
    "Runs the operator in an embedded cluster under virtual time: a workload, a spot market and faults drawn from the\n"
    "seed, held to the invariants of simulator/invariants after every step. The same seed gives the same scenario, "
    "and\n"
    "the same standard output; how fast it went is printed on standard error.\n"
    "\n";
constexpr const char* kEnd = "\nExit codes: 0 every invariant held; 1 an invariant was broken; 2 wrong arguments.\n";

flags::po::options_description known_flags() {
  using flags::one, flags::po::bool_switch;
  auto known = flags::described();
  known.add_options()("seed", one(), "N: one scenario, with its timeline")(
      "seeds", one(), "FIRST..LAST: many, a line each for those that violate an invariant, and a summary")(
      "no-faults", bool_switch(), "nothing goes wrong but the spot market")("timeline", bool_switch(),
                                                                            "print the timeline of every scenario")(
      "replay", bool_switch(), "run each seed twice and compare the event logs byte by byte")(
      "keep-going", bool_switch(), "do not end at the first seed that violates an invariant")(
      "until-broken", bool_switch(), "end a scenario with the first invariant that it breaks")(
      "operator-log", one(),
      "LEVEL: lines of the operator in the timeline: off (default), debug, info, warning, error")(
      "metrics-file", one(),
      "FILE: what /metrics of each replica shows, once a minute of virtual time, as OpenMetrics with timestamps\n"
      "(promtool tsdb create-blocks-from openmetrics reads it); of many seeds, one scenario after the other");
  return known;
}

std::optional<std::uint64_t> to_seed(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool read_range(std::string_view text, SimulateOptions& options) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) return false;
  const auto first = to_seed(text.substr(0, dots)), last = to_seed(text.substr(dots + 2));
  if (!first || !last || *last < *first) return false;
  options.first_seed = *first;
  options.last_seed = *last;
  return true;
}

void read_seeds(const flags::po::variables_map& given, SimulateOptions& options) {
  const auto one = flags::text(given, "seed"), many = flags::text(given, "seeds");
  if (one && many) throw Wrong{"--seed and --seeds exclude each other"};
  if (one) {
    const auto seed = to_seed(*one);
    if (!seed) flags::wrong_value("seed", *one, "a whole number from 0 on");
    options.first_seed = options.last_seed = *seed;
  } else if (many) {
    if (!read_range(*many, options))
      flags::wrong_value("seeds", *many, "FIRST..LAST with FIRST <= LAST, such as 1..200");
  } else {
    throw Wrong{"--seed or --seeds is needed"};
  }
}

SimulateOptions options_of(const flags::po::variables_map& given) {
  SimulateOptions options;
  read_seeds(given, options);
  options.faults = !flags::is_set(given, "no-faults");
  options.timeline = flags::is_set(given, "timeline") || given.contains("seed");
  options.replay = flags::is_set(given, "replay");
  options.keep_going = flags::is_set(given, "keep-going");
  options.until_broken = flags::is_set(given, "until-broken");
  options.metrics_file = flags::text(given, "metrics-file").value_or("");
  options.operator_log =
      flags::one_of<std::string>(
          given, "operator-log",
          {{"off", "off"}, {"debug", "debug"}, {"info", "info"}, {"warning", "warning"}, {"error", "error"}})
          .value_or("off");
  return options;
}

}  // namespace

std::expected<SimulateOptions, UsageText> parse_simulate_options(const std::vector<std::string>& arguments) {
  const auto known = known_flags();
  try {
    const auto given = flags::parse(known, arguments);
    if (given.contains("help")) {
      std::ostringstream help;
      help << kBegin << known << kEnd;
      return std::unexpected(UsageText{help.str(), false});
    }
    return options_of(given);
  } catch (const Wrong& wrong) {
    return std::unexpected(flags::usage_error("reprise simulate", wrong.text));
  }
}

}  // namespace reprise::apps
