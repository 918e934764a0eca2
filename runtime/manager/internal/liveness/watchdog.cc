#include "runtime/manager/internal/liveness/watchdog.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace reprise::runtime::internal {
namespace {

constexpr std::size_t over = 0, signal_came = 1;

}  // namespace

Watchdog::Watchdog(Duration limit, int signals, std::function<void(std::string_view why)> abort)
    : over_(eventfd(0, EFD_CLOEXEC)), thread_([descriptor = over_, limit, signals, abort = std::move(abort)] {
        std::array<pollfd, 2> sources{pollfd{descriptor, POLLIN, 0}, pollfd{signals, POLLIN, 0}};
        const Instant end = std::chrono::steady_clock::now() + limit;
        while (true) {
          const auto left = std::chrono::ceil<Duration>(end - std::chrono::steady_clock::now());
          if (left <= Duration{0}) return abort("Shutdown took too long: ending the process");
          if (poll(sources.data(), sources.size(), static_cast<int>(left.count())) <= 0) continue;
          if (sources[over].revents != 0) return;
          if (sources[signal_came].revents != 0) return abort("Was asked to stop a second time: ending the process");
        }
      }) {}

Watchdog::~Watchdog() {
  (void)eventfd_write(over_, 1);
  thread_.join();
  close(over_);
}

}  // namespace reprise::runtime::internal
