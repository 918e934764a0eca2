// `reprise rehearse`: reads manifests and a trace, plays them, prints and writes the report.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "rehearsal/live/live_view.h"
#include "rehearsal/rehearsal.h"

namespace reprise::apps {

// The command's surroundings.
struct RehearseWorld {
  std::function<runtime::Result<rehearsal::RunReport>(const rehearsal::RehearsalPlan&,
                                                      const rehearsal::RehearsalObserver&)>
      rehearse;
  std::function<bool()> interrupted;                  // Ctrl-C came
  std::filesystem::path programs;                     // the folder of this program and reprise-agent
  std::optional<rehearsal::LiveStyle> terminal = {};  // empty: lines
  std::function<rehearsal::TerminalSize()> size_of = {};
};

// Exit codes: 0 the script survives, 1 it does not (or a report could not be written), 2 wrong arguments, files or
// manifests, 3 nothing was shown about the script, 130 interrupted. Events go to `err` while it runs; the report goes
// to `out`.
[[nodiscard]] int run_rehearse(const std::vector<std::string>& arguments, const RehearseWorld& world, std::ostream& out,
                               std::ostream& err);

}  // namespace reprise::apps
