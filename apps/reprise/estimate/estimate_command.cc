#include "apps/reprise/estimate/estimate_command.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>

#include "apps/reprise/estimate/estimate_defaults.h"
#include "apps/reprise/estimate/estimate_options.h"
#include "apps/reprise/estimate/estimate_output.h"
#include "controllers/placement/evaluation/events_trace.h"

namespace reprise::apps {
namespace {

namespace placement = controllers::placement;

constexpr int kUsageError = 2;

runtime::Result<std::string> contents_of(const std::string& path) {
  if (std::error_code problem; std::filesystem::is_directory(path, problem))
    return runtime::fail(runtime::ErrorClass::NotFound, path + ": is a directory, must be a file");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || file.bad()) return runtime::fail(runtime::ErrorClass::NotFound, path + ": cannot be read");
  return text.str();
}

runtime::Result<placement::Trace> load(const EstimateOptions& options, const std::filesystem::path& programs) {
  std::optional<placement::Trace> all;
  for (const std::string& named : options.traces) {
    const auto found = trace_file(named, programs);
    if (!found)
      return runtime::fail(runtime::ErrorClass::NotFound,
                           fmt::format("--trace: found '{}', must be a file, or one of {}", named,
                                       fmt::join(trace_names(programs), ", ")));
    const std::string& path = *found;
    auto text = contents_of(path);
    if (!text) return std::unexpected(std::move(text).error());
    auto trace = placement::read_trace(path, *text);
    if (!trace) return trace;
    if (all) trace = placement::joined(std::move(*all), std::move(*trace));
    if (!trace) return trace;
    all = std::move(*trace);
  }
  for (const std::string& path : options.prices) {
    auto text = contents_of(path);
    if (!text) return std::unexpected(std::move(text).error());
    auto priced = placement::with_prices(std::move(*all), path, *text);
    if (!priced) return priced;
    all = std::move(*priced);
  }
  return std::move(*all);
}

// The part of the trace that the arguments ask for.
runtime::Result<placement::Trace> asked_for(placement::Trace trace, const EstimateOptions& options) {
  if (options.request.nodes > trace.nodes_probed)
    return runtime::fail(runtime::ErrorClass::Invalid, "--nodes: found '" + std::to_string(options.request.nodes) +
                                                           "', must be at most " + std::to_string(trace.nodes_probed) +
                                                           ", all that " + trace.file + " tells of");
  if (options.zones.empty()) return trace;
  auto chosen = placement::with_zones(std::move(trace), options.zones);
  if (!chosen) return runtime::fail(runtime::ErrorClass::Invalid, "--zones: " + chosen.error().message);
  return chosen;
}

// Shows itself only once a run takes long enough to wonder.
class ProgressBar {
 public:
  explicit ProgressBar(std::ostream& err) : err_(err), begin_(Clock::now()) {}
  ~ProgressBar() {
    if (shown_ >= 0) err_ << "\r\033[K" << std::flush;
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void at(double share) {
    constexpr int kWrapAt = 40;
    const int percent = static_cast<int>(share * 100);
    if (percent == shown_ || Clock::now() - begin_ < std::chrono::seconds(1)) return;
    shown_ = percent;
    const auto filled = static_cast<std::size_t>(share * kWrapAt);
    err_ << "\r[" << std::string(filled, '#') << std::string(kWrapAt - filled, ' ') << "] " << percent << " %"
         << std::flush;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::ostream& err_;
  Clock::time_point begin_;
  int shown_ = -1;
};

void tell_assumed(const EstimateOptions& options, const PricedTrace& priced, std::ostream& err) {
  if (!options.assumed.empty()) {
    err << "reprise estimate: assumed";
    for (const std::string& each : options.assumed) err << ' ' << each;
    err << '\n';
  }
  if (!priced.note.empty()) err << "reprise estimate: " << priced.note << '\n';
}

// Assumes the job's work when no flag sets it: as much as fits.
void assume_work(EstimateOptions& options, const placement::Trace& trace) {
  if (!options.work_assumed) return;
  options.request.work = usual_work(trace, options.request);
  options.assumed.push_back(fmt::format("--work-hours {:.3g}", options.request.work));
}

int report(const runtime::Error& error, const char* command, std::ostream& err) {
  err << "reprise " << command << ": " << error.message << '\n';
  return 1;
}

}  // namespace

int run_estimate(const std::vector<std::string>& arguments, const EstimateWorld& world, std::ostream& out,
                 std::ostream& err) {
  auto options = parse_estimate_options(arguments);
  if (!options) {
    (options.error().error ? err : out) << options.error().text;
    return options.error().error ? kUsageError : 0;
  }
  auto loaded = load(*options, world.programs);
  if (!loaded) return report(loaded.error(), "estimate", err);
  auto chosen = asked_for(std::move(*loaded), *options);
  if (!chosen) {
    report(chosen.error(), "estimate", err);
    return kUsageError;
  }
  const PricedTrace priced = with_usual_spot_prices(*std::move(chosen), options->request);
  assume_work(*options, priced.trace);
  tell_assumed(*options, priced, err);
  runtime::Result<placement::Estimate> result;
  {
    ProgressBar bar(err);
    result = placement::estimate(priced.trace, options->request, [&](double share) {
      if (world.progress) bar.at(share);
    });
  }
  if (!result) {
    report(result.error(), "estimate", err);
    return kUsageError;
  }
  switch (options->output) {
    case EstimateOutput::Table:
      out << estimate_table(*result);
      break;
    case EstimateOutput::Json:
      out << estimate_json(*result);
      break;
    case EstimateOutput::Html:
      out << estimate_page(*result, options->request);
      break;
  }
  return 0;
}

int run_trace_from_events(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  const auto options = parse_events_options(arguments);
  if (!options) {
    (options.error().error ? err : out) << options.error().text;
    return options.error().error ? kUsageError : 0;
  }
  const auto text = contents_of(options->events);
  if (!text) return report(text.error(), "trace-from-events", err);
  placement::EventPlaces places{.otherwise = options->zone};
  if (!options->objects.empty()) {
    const auto objects = contents_of(options->objects);
    if (!objects) return report(objects.error(), "trace-from-events", err);
    auto known = placement::read_event_objects(options->objects, *objects);
    if (!known) return report(known.error(), "trace-from-events", err);
    places.objects = std::move(*known);
  }
  const auto trace = placement::trace_from_events(options->events, *text, places, options->gap_seconds);
  if (!trace) return report(trace.error(), "trace-from-events", err);
  out << placement::write_trace(*trace);
  return 0;
}

}  // namespace reprise::apps
