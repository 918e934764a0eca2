#include "apps/reprise/rehearse/rehearse_command.h"

#include <fmt/format.h>

#include <ostream>
#include <system_error>

#include "apps/reprise/rehearse/rehearse_options.h"
#include "apps/reprise/rehearse/rehearse_plan.h"
#include "apps/reprise/report_files.h"
#include "apps/reprise/text_file.h"
#include "rehearsal/report/report_json.h"
#include "rehearsal/report/report_text.h"

namespace reprise::apps {
namespace {

namespace fs = std::filesystem;

constexpr int kDidNotSurvive = 1, kWrong = 2, kNothingShown = 3, kInterrupted = 130;

int wrong(const runtime::Error& error, std::ostream& err) {
  err << "reprise rehearse: " << error.message << '\n';
  return kWrong;
}

std::string title_of(const RehearseOptions& options) {
  const std::string pace = options.interrupt_every.count() == 0
                               ? "a notice by the script's own pace"
                               : fmt::format("a notice every {} s", options.interrupt_every.count() / 1000);
  const std::string how = options.trace.empty() ? pace : "spot capacity of " + options.trace;
  return fmt::format("{}, {:.4g} times as fast", how, options.speed);
}

runtime::Result<rehearsal::RunReport> play(const RehearseOptions& options, const rehearsal::RehearsalPlan& plan,
                                           const RehearseWorld& world, std::ostream& out, std::ostream& err) {
  const rehearsal::LiveInfo info{.title = "Rehearsal", .length = runtime::Duration{0}, .speed = plan.speed};
  std::optional<rehearsal::LiveView> view;
  if (world.terminal && !options.plain && options.output == RehearseOutput::Text)
    view.emplace(out, info, world.size_of, *world.terminal);
  else
    view.emplace(err, info);
  return world.rehearse(plan, [&](const rehearsal::RehearsalMoment& moment) {
    view->show(moment);
    return !world.interrupted || !world.interrupted();
  });
}

}  // namespace

int run_rehearse(const std::vector<std::string>& arguments, const RehearseWorld& world, std::ostream& out,
                 std::ostream& err) {
  auto options = parse_rehearse_options(arguments);
  if (!options) {
    (options.error().error ? err : out) << options.error().text;
    return options.error().error ? kWrong : 0;
  }
  std::error_code problem;
  options->output_directory = fs::absolute(options->output_directory, problem);
  const auto what = read_rehearsal(*options, world.programs);
  if (!what) return wrong(what.error(), err);
  for (const std::string& note : what->notes) err << "reprise rehearse: " << note << '\n';
  const auto room = make_room(options->output_directory, ".reprise-rehearsal", {"run"});
  if (!room) return wrong(room.error(), err);
  auto report = play(*options, what->plan, world, out, err);
  if (!report) return wrong(report.error(), err);
  report->subtitle += ": " + title_of(*options);
  const auto page = write_report(*report, options->output_directory);
  if (!page) return wrong(page.error(), err), kDidNotSurvive;
  if (options->output == RehearseOutput::Json)
    out << report_json(*report) << '\n';
  else
    out << '\n' << report_text(*report) << "\nThe picture: " << page->string() << '\n';
  if (world.interrupted && world.interrupted()) return kInterrupted;
  if (!report->shown) return kNothingShown;
  return report->survived ? 0 : kDidNotSurvive;
}

}  // namespace reprise::apps
