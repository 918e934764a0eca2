#include "apps/kubectl-reprise/run/run_plugin.h"

#include <algorithm>
#include <ostream>

#include "apps/kubectl-reprise/commands/complete.h"
#include "apps/kubectl-reprise/run/parse_arguments.h"
#include "apps/kubectl-reprise/terminal/pages.h"

namespace reprise::plugin {
namespace {

ClusterChoice choice_of(const Arguments& given) {
  const auto text = [&](std::string_view flag) { return given.value(flag).value_or(std::string()); };
  return {.kubeconfig = text("kubeconfig"),
          .context = text("context"),
          .server = text("server"),
          .token = text("token"),
          .as = text("as"),
          .as_uid = text("as-uid"),
          .as_groups = given.all("as-group")};
}

bool asks_cluster(const Called& called) {
  return called.command->connects && std::ranges::none_of(called.command->flags, [&](const Flag& flag) {
           return flag.asks_no_cluster && called.arguments.is_set(flag.name);
         });
}

runtime::Result<ExitCode> run(const Called& called, World& world) {
  Session session{world, called.arguments};
  if (!asks_cluster(called)) return called.command->run(session);
  auto cluster = world.connect(choice_of(called.arguments));
  if (!cluster) return std::unexpected(std::move(cluster).error());
  session.cluster = cluster->get();
  return called.command->run(session);
}

// Words that only programs call: no commands of the table.
bool ran_for_programs(const std::vector<std::string>& arguments, World& world) {
  if (arguments.empty()) return false;
  if (arguments[0] == "__man") {
    world.out << manual_page();
  } else if (arguments[0] == "__reference") {
    world.out << reference_page();
  } else if (arguments[0] == "__complete") {
    const std::vector<std::string> typed(arguments.begin() + 1, arguments.end());
    world.out << completion_answer(complete(typed, [&world](Names names, const std::vector<std::string>& words) {
      return look_up_names(world, names, words);
    }));
  } else {
    return false;
  }
  return true;
}

}  // namespace

ExitCode exit_code_of(runtime::ErrorClass error) {
  using runtime::ErrorClass;
  switch (error) {
    case ErrorClass::NotFound:
      return kNotFound;
    case ErrorClass::Forbidden:
    case ErrorClass::Unauthorized:
      return kNotAllowed;
    case ErrorClass::AlreadyExists:
    case ErrorClass::Conflict:
    case ErrorClass::Invalid:
    case ErrorClass::Expired:
    case ErrorClass::Throttled:
    case ErrorClass::Unavailable:
    case ErrorClass::NoPermit:
    case ErrorClass::Cancelled:
    case ErrorClass::Terminal:
      return kFailed;
  }
  return kFailed;
}

ExitCode run_plugin(const std::vector<std::string>& arguments, World& world) {
  if (ran_for_programs(arguments, world)) return kDone;
  const auto called = parse_arguments(arguments);
  if (!called) {
    (called.error().error ? world.err : world.out) << called.error().text;
    return called.error().error ? kUsage : kDone;
  }
  const auto ended = run(*called, world);
  world.out.flush();
  if (ended) return *ended;
  world.err << "kubectl reprise " << called->command->name << ": " << ended.error().message << "\n";
  return exit_code_of(ended.error().error_class);
}

}  // namespace reprise::plugin
