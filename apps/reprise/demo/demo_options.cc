#include "apps/reprise/demo/demo_options.h"

#include <boost/program_options/value_semantic.hpp>
#include <charconv>
#include <sstream>

#include "apps/common/flags.h"

namespace reprise::apps {
namespace {

flags::po::options_description known_flags() {
  auto known = flags::described();
  known.add_options()("output-dir", flags::one(),
                      "DIR for the page, the figures and what the trainers write (default: reprise-demo)")(
      "speed", flags::one(), "recorded seconds per real second, 120 to 1920 (default: 960)")(
      "seed", flags::one(), "of the cluster's chances, such as how long a machine takes to boot (default: 1)")(
      "plain", flags::po::bool_switch(), "lines instead of a picture, as elsewhere than on a terminal")(
      "examples-dir", flags::one(), "DIR with demo/, traces/ and trainer/data/ (default: examples)");
  return known;
}

std::string help(const flags::po::options_description& known) {
  std::ostringstream text;
  text << "Usage: reprise demo [flags]\n\n"
          "Three jobs with real trainer processes on a recorded spot day, under the real operator and an embedded "
          "cluster.\n"
          "Shows what happens while it does, then what it came to, and writes a page with a picture of it.\n"
          "Runs in a clone of the repository, with the trainer built beside it.\n\n"
       << known
       << "\nExit codes: 0 every job survived and ended with the weights of an undisturbed run; 1 not; 2 wrong "
          "arguments;\n130 interrupted.\n";
  return text.str();
}

std::uint64_t seed_in(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (problem != std::errc() || end != text.data() + text.size()) {
    flags::wrong_value("seed", text, "a whole number from 0 on");
  }
  return seed;
}

}  // namespace

std::expected<DemoOptions, UsageText> parse_demo_options(const std::vector<std::string>& arguments) {
  const auto known = known_flags();
  try {
    const auto given = flags::parse(known, arguments);
    if (given.contains("help")) return std::unexpected(UsageText{help(known), false});
    DemoOptions options;
    if (const auto found = flags::text(given, "output-dir")) options.output_directory = *found;
    if (const auto found = flags::text(given, "examples-dir")) options.examples_directory = *found;
    if (const auto found = flags::number(given, "speed", 120, 1920, "a number from 120 to 1920")) {
      options.speed = *found;
    }
    if (const auto found = flags::text(given, "seed")) options.seed = seed_in(*found);
    options.plain = flags::is_set(given, "plain");
    return options;
  } catch (const flags::Wrong& wrong) {
    return std::unexpected(flags::usage_error("reprise demo", wrong.text));
  }
}

}  // namespace reprise::apps
