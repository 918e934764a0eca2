#include "apps/reprise/demo/demo_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/reprise/text_file.h"
#include "controllers/placement/evaluation/trace.h"
#include "rehearsal/plan/recorded_spot.h"

namespace reprise::apps {
namespace {

namespace placement = controllers::placement;

// A day is an hour and a half to the cluster: long for jobs of its size, and a notice of two minutes is two seconds of
// ours, in which a real process can save.
constexpr double kRecordedPerCluster = 16;
constexpr std::string_view kTrace = "traces/v100-us-west-2-day.csv";
constexpr std::string_view kData = "examples/trainer/data/points.csv";
constexpr std::string_view kPace = R"({name: STEP_MILLISECONDS, value: "100"})";
constexpr double kPaceSpeed = 960, kPaceMilliseconds = 100;
constexpr runtime::Duration kLimit{240'000};

runtime::Result<std::string> replaced(std::string text, const std::string& file, std::string_view from,
                                      const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos)
    return runtime::fail(runtime::ErrorClass::Invalid, file + ": must hold '" + std::string(from) + "'");
  return text.replace(at, from.size(), to);
}

runtime::Result<std::string> job_yaml(const DemoOptions& options, const DemoJob& job) {
  const std::string file = (options.examples_directory / "demo" / job.file).string();
  auto text = text_of_file(file);
  if (!text) return text;
  const std::string steps = "--steps, \"" + std::to_string(job.steps) + "\"";
  if (auto same = replaced(*text, file, steps, steps); !same) return same;
  text = replaced(std::move(*text), file, kData, (options.examples_directory / "trainer/data/points.csv").string());
  if (!text) return text;
  const double pace = kPaceMilliseconds * kPaceSpeed / options.speed;
  return replaced(std::move(*text), file, kPace,
                  fmt::format("{{name: STEP_MILLISECONDS, value: \"{}\"}}", std::lround(pace)));
}

// "# source=..." of the file; read_trace() has found the rest right.
std::string source_in(const std::string& text) {
  constexpr std::string_view kKey = "# source=";
  const auto at = text.find(kKey);
  if (at == std::string::npos) return {};
  const auto begin = at + kKey.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::vector<DemoJob> demo_jobs() {
  return {{.name = "vision/segment", .file = "segment.yaml", .steps = 560},
          {.name = "vision/finetune", .file = "finetune.yaml", .steps = 620},
          {.name = "speech/align", .file = "align.yaml", .steps = 480}};
}

runtime::Result<Demo> demo_of(const DemoOptions& options, const std::filesystem::path& programs) {
  Demo demo;
  const std::string file = (options.examples_directory / kTrace).string();
  const auto text = text_of_file(file);
  if (!text) return std::unexpected(text.error());
  auto trace = placement::read_trace(file, *text);
  if (!trace) return std::unexpected(trace.error());
  if (trace->on_demand_price <= 0 || trace->zones.empty())
    return runtime::fail(runtime::ErrorClass::Invalid, file + ": must have zones and on_demand_usd_per_hour");
  demo.trace = source_in(*text);
  trace->tick /= kRecordedPerCluster;
  if (trace->spot_price <= 0) trace->spot_price = trace->on_demand_price * placement::kUsualSpotShare;
  const double hours = trace->tick * static_cast<double>(trace->zones.front().available.size());
  demo.length = runtime::Duration(std::llround(hours * 3'600'000));
  demo.plan.spot = rehearsal::spot_plan_of(*trace, 1);
  auto pool = text_of_file((options.examples_directory / "demo/pool.yaml").string());
  if (!pool) return std::unexpected(std::move(pool).error());
  demo.plan.pool_yaml = std::move(*pool);
  for (const DemoJob& job : demo_jobs()) {
    auto yaml = job_yaml(options, job);
    if (!yaml) return std::unexpected(std::move(yaml).error());
    demo.plan.job_yamls.push_back(std::move(*yaml));
  }
  demo.plan.speed = options.speed / kRecordedPerCluster;
  const double slower = kPaceSpeed / options.speed;
  demo.plan.limit = runtime::Duration(std::llround(static_cast<double>(kLimit.count()) * std::max(1.0, slower)));
  demo.plan.on_demand_price_per_hour = trace->on_demand_price;
  demo.plan.work_directory = options.output_directory / "run";
  demo.plan.agent = programs / "reprise-agent";
  demo.plan.seed = options.seed;
  return demo;
}

}  // namespace reprise::apps
