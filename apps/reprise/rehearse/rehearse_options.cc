#include "apps/reprise/rehearse/rehearse_options.h"

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <sstream>

#include "apps/common/flags.h"

namespace reprise::apps {
namespace {

using flags::Wrong;

constexpr double kFastest = 1000, kUsualSpeed = 20, kMostRanks = 64, kHighestSeed = 4'294'967'295;

constexpr const char* kIntroduction =
    "Usage: reprise rehearse -f FILE... [flags]\n"
    "       reprise rehearse [--checkpoints DIR] [--ranks N] [flags] -- COMMAND [ARGUMENT...]\n"
    "\n"
    "Does this training script survive spot machines? Runs the command, or that of a ResumableJob, as real processes "
    "on\n"
    "this machine, below the real agent, under the real operator and an embedded cluster, and takes its machines "
    "away:\n"
    "with a notice, SIGTERM, the grace, SIGKILL. The image is not used: the command must run here. Checkpoints of "
    "real\n"
    "runs are never touched.\n"
    "\n";
constexpr const char* kEnd =
    "\n"
    "Durations D are 500ms, 30s, 10m, 1h. Those of flags but --limit and --start-limit are the cluster's.\n"
    "Exit codes: 0 the script survives; 1 it does not, and why; 2 wrong arguments or a wrong job; 3 nothing was shown\n"
    "about the script, and why; 130 interrupted.\n";

flags::po::options_description known_flags() {
  using flags::many, flags::one;
  auto known = flags::described();
  known.add_options()(
      "filename,f", many(),
      "FILE of ResumableJobs, and a GpuPool if wanted; may be given several times; a directory stands for the .yaml, "
      ".yml and .json files in it")("mount", many(),
                                    "CLAIM=DIR: this directory for a claim that pods mount besides their checkpoints, "
                                    "such as a data set; may be given several times")(
      "checkpoints", one(),
      "DIR where COMMAND saves its checkpoints (default: what it is given as --output_dir, else /checkpoints, which "
      "$REPRISE_CHECKPOINT_DIR tells it)")(
      "ranks", one(), "so many processes of COMMAND, as torchrun's environment has them, 1 to 64 (default: 1)")(
      "interrupt-every", one(),
      "D: a notice so long after the job trains (again) (default: by what its start and its saves take, without "
      "--trace)")("trace", one(), "FILE of recorded spot capacity: machines go when it went")(
      "zone", many(), "Z[,Z...]: only these zones of the trace (default: all)")(
      "notice", one(), "D from the notice to the end of a machine (default: 120s)")(
      "speed", one(),
      "the cluster's seconds per real second, 1 to 1000: machines come and go so many times as fast; a trainer that "
      "saves has the notice in real seconds (default: 20; with --trace 1)")(
      "start-limit", one(), "D of real time that a trainer's start may take (default: 2m)")(
      "seed", one(), "N from which it is drawn how far apart the ranks of a gang are told to stop (default: 1)")(
      "limit", one(), "D: end after so much real time; 0s: never (default: 10m)")(
      "all", flags::po::bool_switch(), "go on to the end of the training when the verdict cannot change any more")(
      "verify-weights", flags::po::bool_switch(),
      "run a job that survives once more without interruptions: the files of both last checkpoints must be equal")(
      "compare", one(), "--verify-weights with a COMMAND that compares: COMMAND DIRECTORY DIRECTORY; 0: equal")(
      "output-dir", one(), "DIR for the report, the volumes and what trainers print (default: reprise-rehearsal)")(
      "output,o", one(), "text or json, on standard output (default: text)")(
      "agent", one(), "FILE: reprise-agent (default: beside this program)")(
      "plain", flags::po::bool_switch(), "lines instead of a picture while it runs, as elsewhere than on a terminal");
  return known;
}

std::map<std::string, std::filesystem::path> mounts_in(const std::vector<std::string>& texts) {
  std::map<std::string, std::filesystem::path> mounts;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      flags::wrong_value("mount", text, "CLAIM=DIR");
    }
    const std::string claim = text.substr(0, equals);
    if (!mounts.try_emplace(claim, text.substr(equals + 1)).second) {
      throw Wrong{"--mount: found claim " + claim + " a second time"};
    }
  }
  return mounts;
}

std::vector<std::string> texts(const flags::po::variables_map& given, const char* flag) {
  return given.contains(flag) ? given[flag].as<std::vector<std::string>>() : std::vector<std::string>{};
}

// Manifests or a command.
void check_job(const RehearseOptions& options, const flags::po::variables_map& given) {
  if (options.files.empty() && options.command.empty())
    throw Wrong{"found neither -f FILE with a ResumableJob nor a command behind --; must be one of them"};
  if (!options.files.empty() && !options.command.empty()) throw Wrong{"-f and a command behind -- exclude each other"};
  for (const char* flag : {"ranks", "checkpoints"}) {
    if (options.command.empty() && given.contains(flag))
      throw Wrong{"--" + std::string(flag) + " needs a command behind --"};
  }
  if (options.files.empty() && !options.mounts.empty()) throw Wrong{"--mount needs -f: a command has no claims"};
}

void read_pace(RehearseOptions& options, const flags::po::variables_map& given) {
  const auto second = std::chrono::seconds(1);
  if (const auto found = flags::text(given, "trace")) options.trace = *found;
  for (const std::string& list : texts(given, "zone"))
    std::ranges::move(flags::split(list), std::back_inserter(options.zones));
  if (const auto found = flags::duration(given, "interrupt-every", second)) options.interrupt_every = *found;
  if (const auto found = flags::duration(given, "notice", second)) options.notice = *found;
  if (const auto found = flags::duration(given, "start-limit", second)) options.start_limit = *found;
  if (const auto found = flags::duration(given, "limit", runtime::Duration(0))) options.limit = *found;
  options.seed = static_cast<std::uint64_t>(
      flags::whole_number(given, "seed", 0, kHighestSeed, "a whole number from 0 to 4294967295").value_or(1));
  if (!options.zones.empty() && options.trace.empty()) throw Wrong{"--zone needs --trace"};
  if (!options.trace.empty() && given.contains("interrupt-every"))
    throw Wrong{"--trace and --interrupt-every exclude each other"};
  options.speed = flags::number(given, "speed", 1, kFastest, "a number from 1 to 1000")
                      .value_or(options.trace.empty() ? kUsualSpeed : 1);
}

RehearseOptions options_of(const flags::po::variables_map& given, std::vector<std::string> command) {
  RehearseOptions options;
  options.command = std::move(command);
  options.files = texts(given, "filename");
  options.mounts = mounts_in(texts(given, "mount"));
  if (const auto found = flags::text(given, "checkpoints")) options.checkpoints = *found;
  constexpr const char* allowed = "a whole number from 1 to 64";
  options.ranks = static_cast<int>(flags::whole_number(given, "ranks", 1, kMostRanks, allowed).value_or(1));
  check_job(options, given);
  read_pace(options, given);
  options.all = flags::is_set(given, "all");
  options.verify_weights = flags::is_set(given, "verify-weights") || given.contains("compare");
  options.compare = flags::text(given, "compare").value_or("");
  if (const auto found = flags::text(given, "output-dir")) options.output_directory = *found;
  if (const auto found = flags::text(given, "agent")) options.agent = *found;
  using Output = RehearseOutput;
  options.output =
      flags::one_of<Output>(given, "output", {{"text", Output::Text}, {"json", Output::Json}}).value_or(Output::Text);
  options.plain = flags::is_set(given, "plain");
  return options;
}

}  // namespace

std::expected<RehearseOptions, UsageText> parse_rehearse_options(const std::vector<std::string>& arguments) {
  const auto known = known_flags();
  const auto own_end = std::ranges::find(arguments, "--");
  try {
    const auto given = flags::parse(known, {arguments.begin(), own_end});
    if (given.contains("help")) {
      std::ostringstream text;
      text << kIntroduction << known << kEnd;
      return std::unexpected(UsageText{text.str(), false});
    }
    std::vector<std::string> command(own_end == arguments.end() ? own_end : own_end + 1, arguments.end());
    if (own_end != arguments.end() && command.empty()) throw Wrong{"--: a command is missing behind it"};
    return options_of(given, std::move(command));
  } catch (const Wrong& wrong) {
    return std::unexpected(flags::usage_error("reprise rehearse", wrong.text));
  }
}

}  // namespace reprise::apps
