// `reprise demo`: plays a recorded spot day with three jobs and real trainers, shows it, proves it, writes the report.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "apps/reprise/demo/demo_proof.h"
#include "rehearsal/live/live_view.h"
#include "rehearsal/rehearsal.h"

namespace reprise::apps {

// The demo's surroundings.
struct DemoWorld {
  std::function<runtime::Result<rehearsal::RunReport>(const rehearsal::RehearsalPlan&,
                                                      const rehearsal::RehearsalObserver&)>
      rehearse;
  std::filesystem::path programs;  // the folder of trainer and reprise-agent
  RunProgram run_program = apps::run_program;
  std::optional<rehearsal::LiveStyle> terminal = {};  // style of `out`; empty: it is no terminal
  rehearsal::LiveView::SizeOf size_of = {};
  std::function<bool()> interrupted = {};
};

// Exit codes: 0; 1 when a job did not survive, its weights differ, or the rehearsal failed; 2 for bad arguments; 130
// when interrupted.
[[nodiscard]] int run_demo(const std::vector<std::string>& arguments, const DemoWorld& world, std::ostream& out,
                           std::ostream& err);

}  // namespace reprise::apps
