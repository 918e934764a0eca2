#include "runtime/base/fatal_exit.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace reprise::runtime {

void end_process(std::string_view why) {
  std::array<char, 256> line{};
  const std::size_t length = std::min(why.size(), line.size() - 1);
  std::memcpy(line.data(), why.data(), length);
  line.at(length) = '\n';
  // A full pipe that nobody reads must not keep the process alive.
  pollfd standard_error{STDERR_FILENO, POLLOUT, 0};
  if (poll(&standard_error, 1, 0) == 1 && (standard_error.revents & POLLOUT) != 0) {
    (void)!write(STDERR_FILENO, line.data(), length + 1);
  }
  _exit(EXIT_FAILURE);
}

}  // namespace reprise::runtime
