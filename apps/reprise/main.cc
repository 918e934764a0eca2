#include <cstdio>
#include <string>
#include <vector>

#include "apps/reprise/operator_command.h"
#include "version.h"

namespace {

constexpr int kUsageError = 2;

constexpr const char* kUsage =
    "Usage: reprise COMMAND [flags]\n"
    "\n"
    "Commands:\n"
    "  operator   run the controllers for GpuPool and ResumableJob\n"
    "  version    print the version\n"
    "\n"
    "See 'reprise COMMAND --help'.\n";

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) {
    std::fputs(kUsage, stderr);
    return kUsageError;
  }
  if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (arguments[0] == "version") {
    std::printf("reprise %s\n", reprise::apps::kVersion);
    return 0;
  }
  if (arguments[0] == "operator") {
    const auto options = reprise::apps::parse_operator_options({arguments.begin() + 1, arguments.end()});
    if (options) return reprise::apps::run_operator(*options);
    std::fputs(options.error().text.c_str(), options.error().error ? stderr : stdout);
    return options.error().error ? kUsageError : 0;
  }
  std::fprintf(stderr, "reprise: unknown command '%s'; must be operator or version\n", arguments[0].c_str());
  return kUsageError;
}
