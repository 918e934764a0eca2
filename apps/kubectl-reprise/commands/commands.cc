#include "apps/kubectl-reprise/commands/commands.h"

#include <algorithm>
#include <utility>

#include "apps/common/duration_text.h"
#include "apps/kubectl-reprise/commands/checkpoints/checkpoints_command.h"
#include "apps/kubectl-reprise/commands/completion_command.h"
#include "apps/kubectl-reprise/commands/logs/logs_command.h"
#include "apps/kubectl-reprise/commands/report/report_command.h"
#include "apps/kubectl-reprise/commands/status/cost_command.h"
#include "apps/kubectl-reprise/commands/status/status_command.h"
#include "apps/kubectl-reprise/commands/steering/confirm_ended_command.h"
#include "apps/kubectl-reprise/commands/steering/interrupt_command.h"
#include "apps/kubectl-reprise/commands/steering/suspend_command.h"
#include "apps/kubectl-reprise/commands/top/top_command.h"
#include "apps/kubectl-reprise/commands/usage_command.h"
#include "apps/kubectl-reprise/commands/version_command.h"
#include "apps/kubectl-reprise/commands/why_command.h"

namespace reprise::plugin {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      status_command(),    why_command(),     top_command(),        checkpoints_command(),   logs_command(),
      interrupt_command(), suspend_command(), resume_command(),     confirm_ended_command(), cost_command(),
      usage_command(),     report_command(),  completion_command(), version_command(),
  };
  return table;
}

const std::vector<Flag>& global_flags() {
  static const std::vector<Flag> flags = {
      {.name = "namespace",
       .letter = 'n',
       .argument = "NAME",
       .help = "namespace of the jobs (default: the context's)",
       .names = Names::Namespaces},
      {.name = "context", .argument = "NAME", .help = "context of the kubeconfig (default: its current context)"},
      {.name = "kubeconfig",
       .argument = "FILE",
       .help = "path of a kubeconfig (default: the files of KUBECONFIG, or ~/.kube/config)",
       .names = Names::Files},
      {.name = "server", .letter = 's', .argument = "URL", .help = "address of the API server"},
      {.name = "token", .argument = "TOKEN", .help = "bearer token"},
      {.name = "as", .argument = "USER", .help = "ask as somebody else"},
      {.name = "as-uid", .argument = "UID", .help = "with --as: the uid"},
      {.name = "as-group", .argument = "GROUP", .help = "with --as: a group, several times", .many = true},
      {.name = "help", .letter = 'h', .help = "show the command's help"},
  };
  return flags;
}

const Command* find_command(std::string_view name) {
  const auto found =
      std::ranges::find(commands(), name, [](const Command& each) { return std::string_view(each.name); });
  return found == commands().end() ? nullptr : &*found;
}

Flag all_namespaces_flag() {
  return {.name = "all-namespaces", .letter = 'A', .help = "jobs of all namespaces"};
}

Flag yes_flag() {
  return {.name = "yes", .letter = 'y', .help = "do not ask for a confirmation"};
}

Flag output_flag() {
  return {.name = "output",
          .letter = 'o',
          .argument = "FORMAT",
          .help = "wide, json, yaml or name",
          .values = {"wide", "json", "yaml", "name"}};
}

Flag duration_flag(std::string name, std::string help, std::string allowed, runtime::Duration shortest) {
  return {.name = std::move(name),
          .argument = "DURATION",
          .help = std::move(help),
          .accepts =
              [shortest](std::string_view text) {
                const auto length = apps::parse_duration(text);
                return length && *length >= shortest;
              },
          .allowed = std::move(allowed)};
}

std::optional<runtime::Duration> duration_of(const Arguments& arguments, std::string_view flag) {
  const auto given = arguments.value(flag);
  return given ? apps::parse_duration(*given) : std::nullopt;
}

}  // namespace reprise::plugin
