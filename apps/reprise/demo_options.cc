#include "apps/reprise/demo_options.h"

#include <charconv>
#include <optional>

namespace reprise::apps {
namespace {

constexpr const char* kUsage =
    "Usage: reprise demo [flags]\n"
    "\n"
    "Three jobs with real trainer processes on a recorded spot day, under the real operator and an embedded cluster.\n"
    "Shows what happens while it does, then what it came to, and writes a page with a picture of it.\n"
    "\n"
    "  --output-dir DIR    for the page, the figures and what the trainers write (default: reprise-demo)\n"
    "  --speed N           recorded seconds per real second, 120 to 1920 (default: 960)\n"
    "  --seed N            of the cluster's chances, such as how long a machine takes to boot (default: 1)\n"
    "  --version           print the version\n"
    "  --plain             lines instead of a picture, as elsewhere than on a terminal\n"
    "  --examples-dir DIR  with demo/, traces/ and trainer/data/ (default: examples)\n"
    "\n"
    "Exit codes: 0 every job survived and ended with the weights of an undisturbed run; 1 not; 2 wrong arguments;\n"
    "130 interrupted.\n";

constexpr double kSlowest = 120, kFastest = 1920;

std::unexpected<UsageText> wrong(const std::string& what) {
  return std::unexpected(UsageText{"reprise demo: " + what + "\nSee 'reprise demo --help'.\n", true});
}

template <class Number>
std::optional<Number> to_number(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::expected<DemoOptions, UsageText> parse_demo_options(const std::vector<std::string>& arguments) {
  DemoOptions options;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    std::string flag = arguments[at];
    if (flag == "--help" || flag == "-h") return std::unexpected(UsageText{kUsage, false});
    if (flag == "--plain") {
      options.plain = true;
      continue;
    }
    std::string value;
    if (const auto equals = flag.find('='); equals != std::string::npos) {
      value = flag.substr(equals + 1);
      flag.resize(equals);
    } else if (at + 1 < arguments.size()) {
      value = arguments[++at];
    }
    if (flag == "--output-dir" || flag == "--examples-dir") {
      if (value.empty()) return wrong(flag + ": must name a directory");
      (flag == "--output-dir" ? options.output_directory : options.examples_directory) = value;
    } else if (flag == "--speed") {
      const auto speed = to_number<double>(value);
      if (!speed || !(*speed >= kSlowest && *speed <= kFastest))
        return wrong("--speed: found '" + value + "', must be a number from 120 to 1920");
      options.speed = *speed;
    } else if (flag == "--seed") {
      const auto seed = to_number<std::uint64_t>(value);
      if (!seed) return wrong("--seed: found '" + value + "', must be a whole number from 0 on");
      options.seed = *seed;
    } else {
      return wrong("unknown flag '" + flag + "'");
    }
  }
  return options;
}

}  // namespace reprise::apps
