#include "apps/reprise/demo/demo_command.h"

#include <fmt/format.h>

#include <ostream>
#include <system_error>

#include "apps/reprise/demo/demo_options.h"
#include "apps/reprise/demo/demo_plan.h"
#include "apps/reprise/report_files.h"
#include "apps/reprise/text_file.h"
#include "rehearsal/report/report_text.h"
#include "rehearsal/report/words.h"

namespace reprise::apps {
namespace {

namespace fs = std::filesystem;

constexpr int kUsageError = 2, kInterrupted = 130;

int failed(const std::string& why, std::ostream& err) {
  err << "reprise demo: " << why << '\n';
  return 1;
}

void tell_proof(const DemoProof& proof, rehearsal::RunReport& report) {
  const auto equal = static_cast<std::int64_t>(proof.equal.size());
  const auto all = equal + static_cast<std::int64_t>(proof.different.size());
  const bool good = proof.different.empty();
  const std::string value =
      good ? "equal, bit by bit" : rehearsal::count_text(all - equal) + " of " + std::to_string(all) + " differ";
  report.facts.insert(
      report.facts.begin(),
      {.label = "Final weights, as if undisturbed", .value = value, .good = good, .judgement = true, .headline = true});
  if (!good) report.survived = false;
  report.reasons.insert(report.reasons.end(), proof.different.begin(), proof.different.end());
}

runtime::Result<rehearsal::RunReport> play(const Demo& demo, const DemoOptions& options, const DemoWorld& world,
                                           std::ostream& out) {
  const rehearsal::LiveInfo info{.title = "Reprise: a spot day", .length = demo.length, .speed = demo.plan.speed};
  std::optional<rehearsal::LiveView> view;
  if (world.terminal && !options.plain)
    view.emplace(out, info, world.size_of, *world.terminal);
  else
    view.emplace(out, info);
  return world.rehearse(demo.plan, [&](const rehearsal::RehearsalMoment& moment) {
    view->show(moment);
    return !world.interrupted || !world.interrupted();
  });
}

}  // namespace

int run_demo(const std::vector<std::string>& arguments, const DemoWorld& world, std::ostream& out, std::ostream& err) {
  auto options = parse_demo_options(arguments);
  if (!options) {
    (options.error().error ? err : out) << options.error().text;
    return options.error().error ? kUsageError : 0;
  }
  std::error_code problem;
  // Trainers run in other directories.
  options->output_directory = fs::absolute(options->output_directory, problem);
  options->examples_directory = fs::absolute(options->examples_directory, problem);
  const auto demo = demo_of(*options, world.programs);
  if (!demo)
    return failed(
        demo.error().message + " (run it in a clone of the repository; --examples-dir names where the examples are)",
        err);
  const auto room = make_room(options->output_directory, ".reprise-demo", {"run", "undisturbed"});
  if (!room) {
    failed(room.error().message, err);
    return room.error().error_class == runtime::ErrorClass::Conflict ? kUsageError : 1;
  }

  auto report = play(*demo, *options, world, out);
  if (world.interrupted && world.interrupted()) {
    err << "\nreprise demo: interrupted; what the trainers wrote is in " << options->output_directory.string() << '\n';
    return kInterrupted;
  }
  if (!report) return failed(report.error().message, err);
  report->title = "Reprise demo";
  report->subtitle = fmt::format(
      "Three jobs with real trainer processes on a recorded day of spot capacity in {} zones ({}), {:.4g} times as "
      "fast.",
      demo->plan.spot.zones.size(), demo->trace, options->speed);
  tell_proof(
      prove(demo_jobs(), demo->plan.work_directory, options->output_directory / "undisturbed",
            world.programs / "trainer", options->examples_directory / "trainer/data/points.csv", world.run_program),
      *report);
  const auto page = write_report(*report, options->output_directory);
  if (!page) return failed(page.error().message, err);
  out << '\n'
      << report_summary(*report) << "\nEach interruption: " << (options->output_directory / "report.txt").string()
      << "\nThe picture: " << page->string() << '\n';
  return report->survived ? 0 : 1;
}

}  // namespace reprise::apps
