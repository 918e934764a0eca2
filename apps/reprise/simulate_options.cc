#include "apps/reprise/simulate_options.h"

#include <array>
#include <charconv>
#include <optional>

namespace reprise::apps {
namespace {

constexpr const char* kUsage =
    "Usage: reprise simulate (--seed N | --seeds FIRST..LAST) [flags]\n"
    "\n"
    "Runs the operator in an embedded cluster under virtual time: a workload, a spot market and faults drawn from the\n"
    "seed, held to the laws of simulator/invariants after every step. The same seed gives the same history, and the "
    "same\n"
    "standard output; how fast it went is told on standard error.\n"
    "\n"
    "  --seed N             one history, with its timeline\n"
    "  --seeds FIRST..LAST  many, a line each for those that break a law, and a summary\n"
    "  --no-faults          nothing goes wrong but the spot market\n"
    "  --timeline           print the timeline of every history\n"
    "  --replay             run each seed twice and compare the event logs byte by byte\n"
    "  --keep-going         do not end at the first seed that breaks a law\n"
    "  --until-broken       end a history with the first law that it breaks\n"
    "  --operator-log LEVEL lines of the operator in the timeline: off (default), debug, info, warning, error\n"
    "  --version            print the version\n"
    "\n"
    "Exit codes: 0 every law held; 1 a law was broken; 2 wrong arguments.\n";

std::unexpected<UsageText> wrong(const std::string& what) {
  return std::unexpected(UsageText{"reprise simulate: " + what + "\nSee 'reprise simulate --help'.\n", true});
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

}  // namespace

std::expected<SimulateOptions, UsageText> parse_simulate_options(const std::vector<std::string>& arguments) {
  constexpr std::array<std::string_view, 5> levels{"off", "debug", "info", "warning", "error"};
  SimulateOptions options;
  bool seeds_given = false;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string& flag = arguments[at];
    const auto value = [&]() -> std::string { return at + 1 < arguments.size() ? arguments[++at] : std::string(); };
    if (flag == "--help" || flag == "-h") return std::unexpected(UsageText{kUsage, false});
    if (flag == "--no-faults") {
      options.faults = false;
    } else if (flag == "--timeline") {
      options.timeline = true;
    } else if (flag == "--replay") {
      options.replay = true;
    } else if (flag == "--keep-going") {
      options.keep_going = true;
    } else if (flag == "--until-broken") {
      options.until_broken = true;
    } else if (flag == "--seed" || flag == "--seeds") {
      if (seeds_given) return wrong("--seed and --seeds: only one of them, once");
      seeds_given = true;
      const std::string text = value();
      if (flag == "--seed") {
        const auto seed = to_seed(text);
        if (!seed) return wrong("--seed: found '" + text + "', must be a whole number from 0 on");
        options.first_seed = options.last_seed = *seed;
        options.timeline = true;
      } else if (!read_range(text, options)) {
        return wrong("--seeds: found '" + text + "', must be FIRST..LAST with FIRST <= LAST, such as 1..200");
      }
    } else if (flag == "--operator-log") {
      options.operator_log = value();
      bool known = false;
      for (const std::string_view level : levels) known = known || options.operator_log == level;
      if (!known)
        return wrong("--operator-log: found '" + options.operator_log +
                     "', must be off, debug, info, warning or error");
    } else {
      return wrong("unknown flag '" + flag + "'");
    }
  }
  if (!seeds_given) return wrong("--seed or --seeds is needed");
  return options;
}

}  // namespace reprise::apps
