#include "agent/session.h"

#include <unistd.h>

namespace reprise::agent {

void say(std::string_view text) {
  const std::string line = "reprise-agent: " + std::string(text) + "\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace reprise::agent
