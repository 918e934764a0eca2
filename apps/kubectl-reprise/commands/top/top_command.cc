#include "apps/kubectl-reprise/commands/top/top_command.h"

#include <algorithm>
#include <ostream>

#include "apps/kubectl-reprise/cluster/scene.h"
#include "apps/kubectl-reprise/commands/commands.h"
#include "apps/kubectl-reprise/terminal/terminal.h"

namespace reprise::plugin {
namespace {

constexpr runtime::Duration kLeastInterval{500};
constexpr runtime::Duration kUsualInterval{2000};

runtime::Result<Scene> look_around(Session& session) {
  const auto found = find_scene(session.client(), session.scope(), session.arguments.words);
  if (!found) return std::unexpected(found.error());
  return decoded_scene(*found);
}

// Runs until somebody ends it. While the cluster does not answer, the last picture stays and says that it is old.
runtime::Result<ExitCode> watch(Session& session, LiveTerminal& terminal, Scene scene, runtime::Duration interval) {
  const Columns columns{.namespaces = session.scope().empty(), .wide = session.arguments.is_set("wide")};
  const runtime::Clock& clock = session.world.clock;
  TopState state;
  std::string trouble;
  auto next = clock.steady() + interval;
  while (!state.ended) {
    terminal.show(top_frame(scene, state, clock.wall(), columns, terminal.size(), session.world.colours, trouble));
    const auto left = std::chrono::ceil<runtime::Duration>(next - clock.steady());
    state = pressed(state, terminal.key(std::max(left, runtime::Duration{0})));
    if (state.ended || clock.steady() < next) continue;
    auto seen = look_around(session);
    trouble = seen ? std::string() : seen.error().message;
    if (seen) scene = *std::move(seen);
    next = clock.steady() + interval;
  }
  return kDone;
}

runtime::Result<ExitCode> run_top(Session& session) {
  const auto interval = duration_of(session.arguments, "interval").value_or(kUsualInterval);
  auto scene = look_around(session);
  if (!scene) return std::unexpected(std::move(scene).error());
  const auto terminal = session.arguments.is_set("once") ? nullptr : session.world.open_terminal();
  if (terminal) return watch(session, *terminal, *std::move(scene), interval);
  const Columns columns{.namespaces = session.scope().empty(), .wide = session.arguments.is_set("wide")};
  session.world.out << top_frame(*scene, {}, session.world.clock.wall(), columns, {}, false, {});
  return kDone;
}

}  // namespace

Command top_command() {
  return {
      .name = "top",
      .operands = "[NAME...]",
      .summary = "watch pools and jobs live",
      .description =
          "Shows pools and jobs and looks again every two seconds. Keys: q ends it, s sorts the jobs by name, state, "
          "interruptions, lost time or age, p and j hide pools and jobs. Colours only on a terminal and without "
          "NO_COLOR. Where there is no terminal, and with --once, it prints one picture.",
      .flags = {all_namespaces_flag(),
                {.name = "once", .help = "print one picture, for scripts"},
                duration_flag("interval", "look so often (default: 2s)", "a duration such as 2s, at least 500ms",
                              kLeastInterval),
                {.name = "wide", .help = "with more columns"}},
      .examples = {{"all of a cluster", "kubectl reprise top -A"}},
      .most = kAnyNumber,
      .names = Names::PoolsAndJobs,
      .run = run_top};
}

}  // namespace reprise::plugin
