// Measures the cost of sending a request: COUNT small writes (20,000 unless given) through the real transport to an
// HTTP/2 server in this process, as many under way at once as the operator has workers. Prints the CPU of the
// transport's thread alone; under `valgrind --tool=callgrind --separate-threads=yes` its instructions, which no other
// load changes.
#include <fmt/core.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <future>
#include <string>
#include <vector>

#include "apps/common/flags.h"
#include "runtime/http/asio_executor.h"
#include "runtime/http/curl_transport.h"
#include "runtime/http/testing/h2_peer.h"
#include "runtime/http/testing/test_pki.h"

namespace {

namespace flags = reprise::apps::flags;
namespace runtime = reprise::runtime;

constexpr int kAtOnce = 8;

runtime::Request write_of(int number) {
  return {.method = number % 2 == 0 ? runtime::Method::Post : runtime::Method::Patch,
          .path_and_query = "/apis/reprise.dev/v1alpha1/namespaces/team/resumablejobs/job-" + std::to_string(number),
          .headers = {{"Accept", "application/json"},
                      {"Content-Type", "application/merge-patch+json"},
                      {"Authorization", "Bearer " + std::string(900, 't')}},
          .body = std::string(1500, '.')};
}

// The one thread that libcurl runs on.
double cpu_of(runtime::AsioExecutor& executor) {
  std::promise<double> answered;
  executor.post([&] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    answered.set_value(static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9);
  });
  return answered.get_future().get();
}

struct Sending {
  runtime::Transport& transport;
  int last;
  std::atomic<int> next{0}, failed{0}, left{kAtOnce};
  std::promise<void> done;

  void one() {
    const int number = next++;
    if (number >= last) {
      if (--left == 0) done.set_value();
      return;
    }
    transport.send_async(write_of(number), [this](const runtime::Result<runtime::Response>& answer) {
      if (!answer || answer->status != 200) ++failed;
      one();
    });
  }
};

int count_of(const std::vector<std::string>& arguments) {
  flags::po::options_description known;
  known.add_options()("count", flags::one());
  const auto given = flags::parse(known, arguments, {"count"});
  return static_cast<int>(
      flags::whole_number(given, "count", 1, 1e9, "a whole number from 1 to 1000000000").value_or(20'000));
}

int measure(int count) {
  std::signal(SIGPIPE, SIG_IGN);
  runtime::testing::TestAuthority authority("bench");
  runtime::testing::H2Peer peer({.identity = authority.issue("server")},
                                [](const auto&) { return runtime::testing::H2Answer{.body = std::string(2000, 'a')}; });
  runtime::AsioExecutor executor;
  runtime::ServerConfig config;
  config.url = peer.url();
  config.identity.ca_pem = authority.certificate_pem();
  auto transport = runtime::make_curl_transport(executor, config);
  const double before = cpu_of(executor);
  Sending sending{*transport, count};
  for (int i = 0; i < kAtOnce; ++i) sending.one();
  sending.done.get_future().wait();
  const double used = cpu_of(executor) - before;
  executor.stop();
  fmt::print("{} writes, {} failed: {:.1f} us of CPU each in the transport's thread\n", count, sending.failed.load(),
             1e6 * used / count);
  return sending.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return measure(count_of({argv + 1, argv + argc}));
  } catch (const flags::Wrong& wrong) {
    fmt::print(stderr, "bench_requests: {}\nusage: bench_requests [COUNT]\n", wrong.text);
    return 2;
  }
}
