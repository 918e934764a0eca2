#include "apps/reprise/rehearse_options.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include "apps/common/duration_text.h"

namespace reprise::apps {
namespace {

constexpr const char* kUsage =
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
    "\n"
    "  -f FILE                ResumableJobs, and a GpuPool if wanted; may be given several times; a directory stands "
    "for\n"
    "                         the .yaml, .yml and .json files in it\n"
    "  --mount CLAIM=DIR      this directory for a claim that pods mount besides their checkpoints, such as a data "
    "set;\n"
    "                         may be given several times\n"
    "  --checkpoints DIR      where COMMAND saves its checkpoints (default: /checkpoints, which "
    "$REPRISE_CHECKPOINT_DIR\n"
    "                         tells it)\n"
    "  --ranks N              so many processes of COMMAND, as torchrun's environment has them, 1 to 64 (default: 1)\n"
    "  --interrupt-every D    a notice so long after the job trains (again) (default: by what its start and its saves\n"
    "                         take, without --trace)\n"
    "  --trace FILE           recorded spot capacity: machines go when it went\n"
    "  --zone Z[,Z...]        only these zones of the trace (default: all)\n"
    "  --notice D             from the notice to the end of a machine (default: 120s)\n"
    "  --speed N              the cluster's seconds per real second, 1 to 1000: machines come and go N times as fast; "
    "a\n"
    "                         trainer that saves has the notice in real seconds (default: 20; with --trace 1)\n"
    "  --start-limit D        real time that a trainer's start may take (default: 2m)\n"
    "  --limit D              end after so much real time; 0s: never (default: 10m)\n"
    "  --all                  go on to the end of the training when the verdict cannot change any more\n"
    "  --verify-weights       run a job that survives once more without interruptions: the files of both last\n"
    "                         checkpoints must be equal\n"
    "  --compare COMMAND      --verify-weights with a command that compares: COMMAND DIRECTORY DIRECTORY; 0: equal\n"
    "  --output-dir DIR       for the report, the volumes and what trainers print (default: reprise-rehearsal)\n"
    "  --output text|json     on standard output (default: text)\n"
    "  --agent FILE           reprise-agent (default: beside this program)\n"
    "  --version              print the version\n"
    "  --plain                lines instead of a picture while it runs, as elsewhere than on a terminal\n"
    "\n"
    "Durations D are 500ms, 30s, 10m, 1h. Those of flags but --limit and --start-limit are the cluster's.\n"
    "Exit codes: 0 the script survives; 1 it does not, and why; 2 wrong arguments or a wrong job; 3 nothing was shown\n"
    "about the script, and why; 130 interrupted.\n";

constexpr double kFastest = 1000, kUsualSpeed = 20, kMostRanks = 64;

struct Wrong {
  std::string text;
};

std::string found(const std::string& flag, const std::string& value, const char* allowed) {
  return flag + ": found '" + value + "', must be " + allowed;
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

runtime::Duration duration(const std::string& flag, const std::string& value, runtime::Duration least) {
  const auto parsed = parse_duration(value);
  if (parsed && *parsed >= least) return *parsed;
  throw Wrong{found(flag, value,
                    ("a duration such as 30s, 10m or 1h, at least " + std::to_string(least.count()) + "ms").c_str())};
}

void split(const std::string& list, std::vector<std::string>& into) {
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');)
    if (!part.empty()) into.push_back(part);
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  RehearseOptions run() {
    for (at_ = 0; at_ < arguments_.size() && arguments_[at_] != "--"; ++at_) read(arguments_[at_]);
    if (at_ < arguments_.size())
      options_.command.assign(arguments_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, arguments_.end());
    check_job();
    if (!options_.zones.empty() && options_.trace.empty()) throw Wrong{"--zone needs --trace"};
    if (!options_.trace.empty() && paced_) throw Wrong{"--trace and --interrupt-every exclude each other"};
    if (options_.trace.empty() && !sped_) options_.speed = kUsualSpeed;
    return std::move(options_);
  }

 private:
  // Manifests or a command.
  void check_job() const {
    if (at_ < arguments_.size() && options_.command.empty()) throw Wrong{"--: a command is missing behind it"};
    if (options_.files.empty() && options_.command.empty())
      throw Wrong{"found neither -f FILE with a ResumableJob nor a command behind --; must be one of them"};
    if (!options_.files.empty() && !options_.command.empty())
      throw Wrong{"-f and a command behind -- exclude each other"};
    if (options_.command.empty() && for_command_) throw Wrong{std::string(for_command_) + " needs a command behind --"};
    if (options_.files.empty() && !options_.mounts.empty()) throw Wrong{"--mount needs -f: a command has no claims"};
  }

  void read_mount(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw Wrong{found("--mount", text, "CLAIM=DIR")};
    const std::string claim = text.substr(0, equals);
    if (!options_.mounts.try_emplace(claim, text.substr(equals + 1)).second)
      throw Wrong{"--mount: found claim " + claim + " a second time"};
  }

  void read(std::string flag) {
    if (flag == "--plain") {
      options_.plain = true;
      return;
    }
    if (flag == "--all" || flag == "--verify-weights") {
      (flag == "--all" ? options_.all : options_.verify_weights) = true;
      return;
    }
    std::optional<std::string> given;
    if (const auto equals = flag.find('='); flag.starts_with("--") && equals != std::string::npos) {
      given = flag.substr(equals + 1);
      flag.resize(equals);
    }
    const auto value = [&] {
      if (!given && at_ + 1 < arguments_.size()) given = arguments_[++at_];
      if (!given || given->empty()) throw Wrong{flag + ": a value is missing"};
      return *given;
    };
    if (flag == "-f" || flag == "--filename") {
      options_.files.push_back(value());
    } else if (flag == "--mount") {
      read_mount(value());
    } else if (flag == "--checkpoints") {
      options_.checkpoints = value();
      for_command_ = "--checkpoints";
    } else if (flag == "--ranks") {
      const std::string text = value();
      const auto ranks = number_in(text);
      if (!ranks || *ranks < 1 || *ranks > kMostRanks || *ranks != std::floor(*ranks))
        throw Wrong{found(flag, text, "a whole number from 1 to 64")};
      options_.ranks = static_cast<int>(*ranks);
      for_command_ = "--ranks";
    } else if (flag == "--trace") {
      options_.trace = value();
    } else if (flag == "--zone" || flag == "--zones") {
      split(value(), options_.zones);
    } else if (flag == "--interrupt-every") {
      options_.interrupt_every = duration(flag, value(), std::chrono::seconds(1));
      paced_ = true;
    } else if (flag == "--notice") {
      options_.notice = duration(flag, value(), std::chrono::seconds(1));
    } else if (flag == "--compare") {
      options_.compare = value();
      options_.verify_weights = true;
    } else if (flag == "--start-limit") {
      options_.start_limit = duration(flag, value(), std::chrono::seconds(1));
    } else if (flag == "--limit") {
      options_.limit = duration(flag, value(), runtime::Duration(0));
    } else if (flag == "--speed") {
      const std::string text = value();
      const auto speed = number_in(text);
      if (!speed || *speed < 1 || *speed > kFastest) throw Wrong{found(flag, text, "a number from 1 to 1000")};
      options_.speed = *speed;
      sped_ = true;
    } else if (flag == "--output-dir") {
      options_.output_directory = value();
    } else if (flag == "--agent") {
      options_.agent = value();
    } else if (flag == "--output" || flag == "-o") {
      const std::string text = value();
      if (text != "text" && text != "json") throw Wrong{found(flag, text, "text or json")};
      options_.output = text == "json" ? RehearseOutput::Json : RehearseOutput::Text;
    } else {
      throw Wrong{"unknown argument '" + flag + "'"};
    }
  }

  const std::vector<std::string>& arguments_;
  std::size_t at_ = 0;
  bool paced_ = false, sped_ = false;
  const char* for_command_ = nullptr;  // a flag that says something of it
  RehearseOptions options_;
};

}  // namespace

std::expected<RehearseOptions, UsageText> parse_rehearse_options(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;  // what follows are the command's own
    if (argument == "--help" || argument == "-h") return std::unexpected(UsageText{kUsage, false});
  }
  try {
    return Reader(arguments).run();
  } catch (const Wrong& wrong) {
    return std::unexpected(UsageText{"reprise rehearse: " + wrong.text + "\nSee 'reprise rehearse --help'.\n", true});
  }
}

}  // namespace reprise::apps
