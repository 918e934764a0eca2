// For the tests of the real transport: a TLS HTTP/2 server in this process that breaks what real ones break.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "runtime/http/asio_executor.h"
#include "runtime/http/curl_transport.h"
#include "runtime/http/testing/h2_peer.h"
#include "runtime/http/testing/proxy_peer.h"

namespace reprise::runtime::testing {

using std::chrono::milliseconds;

struct Http2Test : ::testing::Test {
  Http2Test() { std::signal(SIGPIPE, SIG_IGN); }  // the peer's and the proxy's threads write to what we have left
  ~Http2Test() override { executor.stop(); }

  void serve(H2Peer::Answerer answer, std::uint32_t max_streams = 100) {
    peer = std::make_unique<H2Peer>(H2Options{.identity = authority.issue("server"),
                                              .client_ca_pem = authority.certificate_pem(),
                                              .max_streams = max_streams},
                                    [this, answer = std::move(answer)](const H2Request& request) {
                                      ++served;
                                      return answer(request);
                                    });
    config.url = peer->url();
    config.identity.ca_pem = authority.certificate_pem();
  }
  Transport& connect() {
    on_thread([&] { transport = make_curl_transport(executor, config); });
    return *transport;
  }
  void on_thread(const std::function<void()>& work) {
    std::promise<void> done;
    executor.post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }
  // Waits, for servers, until the call that sent the request has returned: libcurl may miss a rejection before that.
  void after_the_call_that_sent_it() {
    on_thread([] {});
  }
  static Request post(std::string path) {
    return {.method = Method::Post, .path_and_query = std::move(path), .body = "{}"};
  }

  TestAuthority authority{"authority one"};
  std::atomic<int> served{0};
  std::unique_ptr<H2Peer> peer;
  ServerConfig config;
  AsioExecutor executor;
  std::unique_ptr<CurlTransport> transport;
};

struct Watcher final : StreamSink {
  void on_status(int code, std::optional<Duration>) override { status.set_value(code); }
  void on_bytes(std::string_view more) override { bytes += more; }
  void on_closed(std::optional<Error> error) override { closed.set_value(std::move(error)); }
  std::promise<int> status;
  std::string bytes;
  std::promise<std::optional<Error>> closed;
};

}  // namespace reprise::runtime::testing
