#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "apps/reprise-operator/operator_command.h"
#include "apps/reprise-operator/operator_options.h"
#include "version.h"

int main(int argc, char** argv) {
  constexpr int usage_error = 2;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (std::ranges::find(arguments, "--version") != arguments.end()) {
    std::printf("reprise-operator %s\n", reprise::apps::kVersion);
    return 0;
  }
  const auto options = reprise::apps::parse_operator_options(arguments);
  if (options && options->print_permissions) {
    std::fputs(reprise::apps::permissions_table(*options).c_str(), stdout);
    return 0;
  }
  if (options) return reprise::apps::run_operator(*options);
  std::fputs(options.error().text.c_str(), options.error().error ? stderr : stdout);
  return options.error().error ? usage_error : 0;
}
