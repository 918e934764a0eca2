// `reprise simulate` alone: a small program, because every planted bug links one.
#include <iostream>
#include <string>
#include <vector>

#include "apps/reprise/simulate_command.h"

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  return reprise::apps::run_simulate(arguments, std::cout, std::cerr);
}
