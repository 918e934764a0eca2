#include "apps/reprise/rehearse_plan.h"

#include <algorithm>
#include <system_error>

#include "apps/reprise/text_file.h"
#include "controllers/placement/trace.h"
#include "simulator/api_server/yaml.h"
#include "simulator/rehearsal/plan/manifests.h"
#include "simulator/rehearsal/plan/spot_plan.h"
#include "simulator/rehearsal/plan/strict_manifest.h"

namespace reprise::apps {
namespace {

namespace placement = controllers::placement;
namespace fs = std::filesystem;
namespace sim = simulator;
using runtime::ErrorClass;
using runtime::Result;

// At a steady pace nobody learns anything from waiting for machines to boot.
constexpr std::chrono::seconds kQuickBoot{5};
// dev/instance-types.csv has this share of on-demand for spot, for traces without prices of spot.
constexpr double kSpotShare = 0.4;

Result<void> sort_in(const std::string& file, const std::string& document, sim::RehearsalPlan& plan) {
  const auto object = sim::read_yaml(document);
  if (!object) return runtime::fail(ErrorClass::Invalid, file + ": " + object.error().message);
  const auto kind = sim::text(*object, {"kind"});
  if (kind == "ResumableJob" || kind == "GpuPool")
    if (auto checked = sim::check_manifest(*object); !checked)
      return runtime::fail(ErrorClass::Invalid, file + ": " + checked.error().message);
  if (kind == "ResumableJob") {
    plan.job_yamls.push_back(document);
  } else if (kind == "GpuPool" && plan.pool_yaml.empty()) {
    plan.pool_yaml = document;
  } else if (kind == "GpuPool") {
    return runtime::fail(ErrorClass::Invalid, file + ": a second GpuPool; a rehearsal takes one");
  } else {
    return runtime::fail(ErrorClass::Invalid,
                         file + ": found kind '" + std::string(kind) + "', must be ResumableJob or GpuPool");
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

Result<void> read_manifests(const RehearseOptions& options, sim::RehearsalPlan& plan) {
  std::vector<std::string> files;
  for (const std::string& named : options.files)
    if (auto found = manifests_at(named, files); !found) return found;
  for (const std::string& file : files) {
    const auto text = text_of_file(file);
    if (!text) return std::unexpected(text.error());
    for (const std::string& document : sim::documents_of(*text))
      if (auto sorted = sort_in(file, document, plan); !sorted) return sorted;
  }
  if (plan.job_yamls.empty())
    return runtime::fail(ErrorClass::Invalid, options.files.front() + ": there is no ResumableJob in it");
  return {};
}

Result<void> read_trace(const RehearseOptions& options, sim::RehearsalPlan& plan) {
  const auto text = text_of_file(options.trace);
  if (!text) return std::unexpected(text.error());
  auto trace = placement::read_trace(options.trace, *text);
  if (trace && !options.zones.empty()) trace = placement::with_zones(*std::move(trace), options.zones);
  if (!trace) return std::unexpected(std::move(trace).error());
  if (trace->spot_price <= 0) trace->spot_price = trace->on_demand_price * kSpotShare;
  plan.spot = sim::spot_plan_of(*trace, 1);
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

Result<sim::RehearsalPlan> rehearsal_plan(const RehearseOptions& options, const std::filesystem::path& programs) {
  sim::RehearsalPlan plan;
  if (auto read = read_manifests(options, plan); !read) return std::unexpected(std::move(read).error());
  plan.notice = options.notice;
  plan.speed = options.speed;
  plan.limit = options.limit;
  plan.work_directory = options.output_directory / "run";
  plan.agent = options.agent.empty() ? agent_near(programs) : options.agent;
  if (options.trace.empty()) {
    plan.spot = sim::steady_spot_plan("zone-a", 0);
    plan.interrupt_every = options.interrupt_every;
    plan.machine_boot = kQuickBoot;
  } else if (auto read = read_trace(options, plan); !read) {
    return std::unexpected(std::move(read).error());
  }
  return plan;
}

}  // namespace reprise::apps
