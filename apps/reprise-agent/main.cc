// The agent's command line.
#include <malloc.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "agent/check/check_command.h"
#include "agent/process/install.h"
#include "agent/process/list_command.h"
#include "agent/process/run.h"
#include "agent/process/trainer/pause.h"
#include "protocol/agent_protocol.h"

namespace {

constexpr std::string_view kUsage =
    "usage: reprise-agent run -- COMMAND [ARGUMENT]...   run a trainer that survives interruptions\n"
    "       reprise-agent check DIR [--format F] [--output table|json] [--verify structure|full]\n"
    "                                                    say which checkpoints below DIR are complete; changes "
    "nothing\n"
    "       reprise-agent install DIR                    copy this binary to DIR/reprise-agent\n"
    "       reprise-agent list-checkpoints               tell the operator from which steps this rank could resume\n"
    "       reprise-agent pause                          wait for SIGTERM\n"
    "       reprise-agent version                        print the version, as --version does\n";

int misused(const std::string& why) {
  std::fprintf(stderr, "reprise-agent: %s\n%.*s", why.c_str(), static_cast<int>(kUsage.size()), kUsage.data());
  return reprise::protocol::kUsageExitCode;
}

int install(const std::string& directory) {
  const auto installed = reprise::agent::install(directory);
  if (installed) return 0;
  std::fprintf(stderr, "reprise-agent: install: %s\n", installed.error().message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  // Its threads wait most of the time: one place for all of them to allocate from takes a third less memory.
  mallopt(M_ARENA_MAX, 1);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) return misused("no command given");
  const std::string& command = arguments.front();
  if (command == "run") {
    if (arguments.size() < 3 || arguments[1] != "--") return misused("run needs \"--\" and a command after it");
    return reprise::agent::run({arguments.begin() + 2, arguments.end()});
  }
  if (command == "check") return reprise::agent::check({arguments.begin() + 1, arguments.end()});
  if (command == "install")
    return arguments.size() == 2 ? install(arguments[1]) : misused("install needs one directory");
  if (command == "--help" || command == "-h") {
    std::fwrite(kUsage.data(), 1, kUsage.size(), stdout);
    return 0;
  }
  if (arguments.size() > 1) return misused(command + " takes no arguments");
  if (command == "list-checkpoints") return reprise::agent::list_checkpoints();
  if (command == "pause") return reprise::agent::pause_until_terminated();
  if (command == "version" || command == "--version") {
    std::puts("reprise-agent " REPRISE_VERSION);
    return 0;
  }
  return misused("unknown command \"" + command + "\"");
}
