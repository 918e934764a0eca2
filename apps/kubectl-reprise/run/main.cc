#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <thread>

#include "apps/kubectl-reprise/run/run_plugin.h"

namespace {

bool colours_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

int main(int argc, char** argv) {
  const reprise::runtime::SystemClock clock;
  reprise::plugin::World world{.out = std::cout,
                               .err = std::cerr,
                               .in = std::cin,
                               .clock = clock,
                               .asks = isatty(STDIN_FILENO) != 0,
                               .colours = isatty(STDOUT_FILENO) != 0 && colours_wanted(),
                               .connect = reprise::plugin::connect,
                               .pause = [](reprise::runtime::Duration time) { std::this_thread::sleep_for(time); },
                               .open_terminal = reprise::plugin::open_terminal};
  return reprise::plugin::run_plugin({argv + 1, argv + argc}, world);
}
