// `reprise simulate` alone: a small program, because every planted bug links one.
#include <iostream>
#include <string>
#include <vector>

#include "apps/reprise/simulate/simulate_command.h"

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  return reprise::apps::run_simulate(arguments, std::cout, std::cerr);
}
