#include "apps/reprise/rehearse/rehearse_plan.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "apps/reprise/command_job.h"
#include "apps/reprise/find_program.h"
#include "apps/reprise/text_file.h"
#include "controllers/placement/evaluation/trace.h"
#include "rehearsal/plan/manifests.h"
#include "rehearsal/plan/recorded_spot.h"
#include "rehearsal/plan/strict_manifest.h"
#include "simulator/api_server/patch/yaml.h"

namespace reprise::apps {
namespace {

namespace placement = controllers::placement;
namespace fs = std::filesystem;
using runtime::ErrorClass;
using runtime::Result;

// At a steady pace a slow boot of machines teaches nothing.
constexpr std::chrono::seconds kQuickBoot{5};
// The default checkpoint directory of a command without a manifest.
constexpr const char* kCheckpoints = "/checkpoints";
// Flags by which Trainer and most examples name their output directory.
constexpr std::array<std::string_view, 2> kOutputFlags{"--output_dir", "--output-dir"};

std::optional<fs::path> output_directory_in(const std::vector<std::string>& command) {
  for (std::size_t at = 0; at < command.size(); ++at) {
    for (const std::string_view flag : kOutputFlags) {
      const std::string_view word = command[at];
      if (word == flag && at + 1 < command.size()) return fs::path(command[at + 1]);
      if (word.starts_with(flag) && word.substr(flag.size()).starts_with('='))
        return fs::path(std::string(word.substr(flag.size() + 1)));
    }
  }
  return std::nullopt;
}

struct Manifests {
  rehearsal::RehearsalPlan& plan;
  std::vector<std::string>& notes;
  std::vector<std::string> foreign = {};  // kinds that are none of ours
};

bool is_ours(std::string_view kind, std::string_view version) {
  return kind == "ResumableJob" || kind == "GpuPool" || version.starts_with("reprise.dev/");
}

Result<void> sort_in(const std::string& file, const rehearsal::YamlDocument& document, Manifests& into) {
  const auto wrong = [&](const std::string& what) { return runtime::fail(ErrorClass::Invalid, file + ": " + what); };
  const auto object = simulator::read_yaml(document.text, document.first_line);
  if (!object) return wrong(object.error().message);
  const std::string line = "line " + std::to_string(document.first_line) + ": ";
  const std::string kind(simulator::text(*object, {"kind"}));
  if (kind.empty()) return wrong(line + "kind is missing: must be a manifest such as kubectl takes");
  if (!is_ours(kind, simulator::text(*object, {"apiVersion"}))) {
    into.notes.push_back(file + ": " + line + kind + " " + std::string(simulator::name_of(*object)) +
                         " is left out: a rehearsal takes ResumableJobs and a GpuPool");
    into.foreign.push_back(kind);
    return {};
  }
  if (kind != "ResumableJob" && kind != "GpuPool")
    return wrong(line + "found kind '" + kind + "', must be ResumableJob or GpuPool");
  if (auto checked = rehearsal::check_manifest(*object); !checked) return wrong(checked.error().message);
  if (kind == "ResumableJob") {
    into.plan.job_yamls.push_back(document.text);
  } else if (into.plan.pool_yaml.empty()) {
    into.plan.pool_yaml = document.text;
  } else {
    return wrong(line + "found a second GpuPool; a rehearsal takes one");
  }
  return {};
}

// A directory stands for the manifests in it, as with kubectl.
Result<void> manifests_at(const std::string& named, std::vector<std::string>& files) {
  std::error_code problem;
  if (!fs::is_directory(named, problem)) {
    files.push_back(named);
    return {};
  }
  std::vector<std::string> found;
  for (fs::directory_iterator at(named, problem); !problem && at != fs::directory_iterator(); at.increment(problem)) {
    const fs::path extension = at->path().extension();
    if (extension == ".yaml" || extension == ".yml" || extension == ".json") found.push_back(at->path().string());
  }
  if (problem) return runtime::fail(ErrorClass::Invalid, named + ": " + problem.message());
  if (found.empty())
    return runtime::fail(ErrorClass::Invalid, named + ": found a directory without .yaml, .yml or .json files");
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
  return {};
}

Result<void> read_manifests(const RehearseOptions& options, ReadRehearsal& into) {
  std::vector<std::string> files;
  for (const std::string& named : options.files)
    if (auto found = manifests_at(named, files); !found) return found;
  Manifests manifests{.plan = into.plan, .notes = into.notes};
  for (const std::string& file : files) {
    const auto text = text_of_file(file);
    if (!text) return std::unexpected(text.error());
    for (const rehearsal::YamlDocument& document : rehearsal::documents_of(*text))
      if (auto sorted = sort_in(file, document, manifests); !sorted) return sorted;
  }
  if (!into.plan.job_yamls.empty()) return {};
  std::string found;
  for (const std::string& kind : manifests.foreign) found += (found.empty() ? "; found " : ", ") + kind;
  return runtime::fail(ErrorClass::Invalid, options.files.front() + ": there is no ResumableJob in it" + found);
}

Result<void> read_mounts(const RehearseOptions& options, rehearsal::RehearsalPlan& plan) {
  for (const auto& [claim, directory] : options.mounts) {
    std::error_code problem;
    const fs::path whole = fs::absolute(directory, problem);
    if (!fs::is_directory(whole, problem))
      return runtime::fail(ErrorClass::Invalid,
                           "--mount " + claim + ": found " + whole.string() +
                               ", which is no directory; must be one that holds the claim's files");
    plan.claims[claim] = whole.lexically_normal();
  }
  return {};
}

Result<void> read_job(const RehearseOptions& options, ReadRehearsal& into) {
  if (options.command.empty()) return read_manifests(options, into);
  const std::string& program = options.command.front();
  const char* path = std::getenv("PATH");
  if (!find_program(program, path == nullptr ? "" : path))
    return runtime::fail(
        ErrorClass::Invalid,
        "--: found '" + program + "', must be a program that runs here: its path, or a name on the PATH");
  std::error_code ignored;
  fs::path checkpoints = options.checkpoints;
  if (checkpoints.empty()) checkpoints = output_directory_in(options.command).value_or(kCheckpoints);
  checkpoints = fs::absolute(checkpoints, ignored).lexically_normal();
  if (!checkpoints.has_filename()) checkpoints = checkpoints.parent_path();
  if (checkpoints == checkpoints.root_path() || checkpoints.string().find(':') != std::string::npos)
    return runtime::fail(ErrorClass::Invalid, "--checkpoints: found " + checkpoints.string() +
                                                  ", must be a directory below / without a colon in its name");
  into.plan.job_yamls = {command_job(options.command, checkpoints, options.ranks)};
  return {};
}

Result<void> read_trace(const RehearseOptions& options, rehearsal::RehearsalPlan& plan) {
  const auto text = text_of_file(options.trace);
  if (!text) return std::unexpected(text.error());
  auto trace = placement::read_trace(options.trace, *text);
  if (trace && !options.zones.empty()) trace = placement::with_zones(*std::move(trace), options.zones);
  if (!trace) return std::unexpected(std::move(trace).error());
  if (trace->spot_price <= 0) trace->spot_price = trace->on_demand_price * placement::kUsualSpotShare;
  plan.spot = rehearsal::spot_plan_of(*trace, 1);
  plan.on_demand_price_per_hour = trace->on_demand_price;
  return {};
}

// Installed, all programs are in one folder; in a build tree each has its own.
std::filesystem::path agent_near(const std::filesystem::path& programs) {
  std::error_code ignored;
  const auto built = programs.parent_path() / "reprise-agent" / "reprise-agent";
  return std::filesystem::is_regular_file(built, ignored) ? built : programs / "reprise-agent";
}

}  // namespace

Result<ReadRehearsal> read_rehearsal(const RehearseOptions& options, const std::filesystem::path& programs) {
  ReadRehearsal result;
  rehearsal::RehearsalPlan& plan = result.plan;
  if (auto read = read_job(options, result); !read) return std::unexpected(std::move(read).error());
  if (auto read = read_mounts(options, plan); !read) return std::unexpected(std::move(read).error());
  plan.notice = options.notice;
  plan.speed = options.speed;
  plan.limit = options.limit;
  plan.start_limit = options.start_limit;
  plan.seed = options.seed;
  plan.to_the_end = options.all;
  plan.verify_weights = options.verify_weights;
  plan.compare = options.compare;
  plan.work_directory = options.output_directory / "run";
  plan.agent = options.agent.empty() ? agent_near(programs) : options.agent;
  if (options.trace.empty()) {
    plan.spot = rehearsal::steady_spot_plan("zone-a", 0);
    plan.interrupt_every = options.interrupt_every;
    plan.own_pace = options.interrupt_every.count() == 0;
    plan.node_boot = kQuickBoot;
  } else if (auto read = read_trace(options, plan); !read) {
    return std::unexpected(std::move(read).error());
  }
  return result;
}

}  // namespace reprise::apps
