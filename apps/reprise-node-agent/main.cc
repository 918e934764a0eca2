// The node agent's command line.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "node-agent/options.h"
#include "node-agent/run.h"

namespace {

constexpr int kUsageExitCode = 2;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto asks_for = [&](const char* word) { return std::ranges::find(arguments, word) != arguments.end(); };
  if (asks_for("--help") || asks_for("-h")) {
    std::fwrite(reprise::node_agent::usage().data(), 1, reprise::node_agent::usage().size(), stdout);
    return 0;
  }
  if (asks_for("--version")) {
    std::puts("reprise-node-agent " REPRISE_VERSION);
    return 0;
  }
  const auto options = reprise::node_agent::parse_options(arguments, variable);
  if (!options) {
    std::fprintf(stderr, "reprise-node-agent: %s; --help lists the flags\n", options.error().c_str());
    return kUsageExitCode;
  }
  return reprise::node_agent::run(*options);
}
