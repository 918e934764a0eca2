// The real transport against a TLS HTTP/2 server in this process that breaks what real ones break.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <future>
#include <set>
#include <thread>

#include "runtime/http/asio_executor.h"
#include "runtime/http/curl_transport.h"
#include "runtime/http/testing/connect_proxy.h"
#include "runtime/http/testing/h2_peer.h"

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using testing::CertifiedKey;
using testing::ConnectProxy;
using testing::H2Act;
using testing::H2Answer;
using testing::H2Options;
using testing::H2Peer;
using testing::H2Request;
using testing::TestAuthority;

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
  // For servers: a refusal that comes before libcurl has even returned from sending may go unnoticed.
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

TEST_F(Http2Test, requests_share_one_connection_and_watches_have_another) {
  std::set<int> seen;
  serve([&](const H2Request& request) {
    seen.insert(request.connection);
    return H2Answer{.act = request.path == "/watch" ? H2Act::Hold : H2Act::Reply, .body = "{}\n"};
  });
  connect();
  Watcher sink;
  std::unique_ptr<Stream> stream;
  on_thread([&] { stream = transport->open({.path_and_query = "/watch"}, sink); });
  EXPECT_EQ(sink.status.get_future().get(), 200);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(transport->send({.path_and_query = "/x"})->status, 200);
  EXPECT_EQ(peer->connections(), 2);
  on_thread([&] { stream.reset(); });
}

TEST_F(Http2Test, a_hint_before_the_answer_is_no_answer) {
  serve([](const H2Request&) { return H2Answer{.body = "yes", .hints_first = true}; });
  const auto answer = connect().send({.path_and_query = "/x"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "yes");
}

TEST_F(Http2Test, a_server_that_takes_the_request_and_never_answers_is_given_up) {
  serve([](const H2Request&) { return H2Answer{.act = H2Act::Silence}; });
  const auto answer = connect().send({.path_and_query = "/x", .timeout = milliseconds(300)});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().error_class, ErrorClass::Unavailable);
  EXPECT_FALSE(answer.error().not_sent);
}

TEST_F(Http2Test, requests_leave_a_connection_on_which_one_got_no_answer) {
  serve([](const H2Request& request) {
    return H2Answer{.act = request.connection == 1 ? H2Act::Silence : H2Act::Reply};
  });
  connect();
  EXPECT_FALSE(transport->send({.path_and_query = "/x", .timeout = milliseconds(100)}));
  EXPECT_TRUE(transport->send({.path_and_query = "/x"}));
  EXPECT_TRUE(transport->send({.path_and_query = "/x"}));
  EXPECT_EQ(peer->connections(), 2);
}

TEST_F(Http2Test, watches_leave_a_connection_on_which_one_fell_silent) {
  serve([](const H2Request&) { return H2Answer{.act = H2Act::Hold}; });
  connect();
  const auto watch_for = [&](Duration patience, Duration idle) {
    Watcher sink;
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Timer> timer;
    std::promise<void> over;
    on_thread([&] { stream = transport->open({.path_and_query = "/watch", .idle_timeout = idle}, sink); });
    EXPECT_EQ(sink.status.get_future().get(), 200);
    on_thread([&] {
      timer = executor.after(patience, [&] {
        stream.reset();
        over.set_value();
      });
    });
    over.get_future().wait();
    on_thread([&] { timer.reset(); });
  };
  watch_for(milliseconds(0), milliseconds(60'000));  // given up for another reason: no doubt
  watch_for(milliseconds(60), milliseconds(50));
  EXPECT_EQ(peer->connections(), 1);
  watch_for(milliseconds(0), milliseconds(60'000));
  EXPECT_EQ(peer->connections(), 2);
}

TEST_F(Http2Test, a_watch_that_nobody_answered_leaves_its_connection) {
  serve(
      [](const H2Request& request) { return H2Answer{.act = request.connection == 1 ? H2Act::Silence : H2Act::Hold}; });
  connect();
  Watcher unanswered, answered;
  std::unique_ptr<Stream> stream;
  on_thread([&] { stream = transport->open({.path_and_query = "/watch"}, unanswered); });
  while (served == 0) std::this_thread::yield();
  on_thread([&] { stream = transport->open({.path_and_query = "/watch"}, answered); });
  EXPECT_EQ(answered.status.get_future().get(), 200);
  on_thread([&] { stream.reset(); });
}

TEST_F(Http2Test, a_server_that_accepts_and_never_speaks_tls_is_given_up_and_nothing_was_sent) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 8), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  config.url = "https://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  config.connect_timeout = milliseconds(200);
  Watcher sink;
  std::unique_ptr<Stream> stream;
  connect();
  on_thread([&] { stream = transport->open({.path_and_query = "/watch"}, sink); });
  const auto answer = transport->send(post("/x"));
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().not_sent);
  EXPECT_TRUE(sink.closed.get_future().get().has_value());
  close(listener);
}

TEST_F(Http2Test, a_lost_answer_to_a_write_is_never_asked_for_again_and_a_read_may_be) {
  serve([](const H2Request& request) { return H2Answer{.act = request.path == "/lost" ? H2Act::Drop : H2Act::Reply}; });
  connect();
  ASSERT_TRUE(transport->send({.path_and_query = "/warm"}));
  served = 0;
  const auto written = transport->send(post("/lost"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().error_class, ErrorClass::Unavailable);
  EXPECT_FALSE(written.error().not_sent);
  EXPECT_EQ(served, 1);
}

TEST_F(Http2Test, a_write_on_a_refused_stream_is_sent_again_for_the_server_did_nothing) {
  for (const H2Act refusal : {H2Act::Refuse, H2Act::GoAwayRefuse}) {
    served = 0;
    serve([&](const H2Request& request) {
      after_the_call_that_sent_it();
      return H2Answer{.act = request.path == "/x" && served == 2 ? refusal : H2Act::Reply};
    });
    connect();
    ASSERT_TRUE(transport->send({.path_and_query = "/warm"}));
    int looks = 0;
    Request request = post("/x");
    request.before_send = [&]() -> Result<void> {
      ++looks;
      return {};
    };
    const auto written = transport->send(request);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(served, 3);
    EXPECT_EQ(looks, 3) << "queued, sent, sent again";
    on_thread([&] { transport.reset(); });
  }
}

TEST_F(Http2Test, a_permit_that_ended_keeps_a_refused_write_from_being_sent_again) {
  serve([&](const H2Request& request) {
    after_the_call_that_sent_it();
    return H2Answer{.act = request.path == "/x" ? H2Act::Refuse : H2Act::Reply};
  });
  connect();
  ASSERT_TRUE(transport->send({.path_and_query = "/warm"}));
  int looks = 0;
  Request request = post("/x");
  request.before_send = [&]() -> Result<void> {
    if (++looks == 3) return fail(ErrorClass::NoPermit, "ended");
    return {};
  };
  EXPECT_EQ(transport->send(request).error().error_class, ErrorClass::NoPermit);
  EXPECT_EQ(served, 2);
}

TEST_F(Http2Test, every_end_of_a_watch_is_unavailable_or_in_order) {
  serve([](const H2Request& request) {
    return H2Answer{.act = request.path == "/reset" ? H2Act::Reset : H2Act::Hold, .body = "line\n"};
  });
  connect();
  const struct {
    const char* law;
    std::string path;
    std::function<void()> end;
  } cases[] = {
      {"RST_STREAM", "/reset", [] {}},
      {"GOAWAY of a server that exits", "/hold", [this] { peer->go_away(); }},
      {"a connection cut", "/hold", [this] { peer->cut(); }},
  };
  for (const auto& test : cases) {
    Watcher sink;
    std::unique_ptr<Stream> stream;
    on_thread([&] { stream = transport->open({.path_and_query = test.path}, sink); });
    if (test.path == "/hold") sink.status.get_future().wait();
    test.end();
    const auto error = sink.closed.get_future().get();
    EXPECT_TRUE(!error || error->error_class == ErrorClass::Unavailable) << test.law << ": " << error->message;
    on_thread([&] { stream.reset(); });
  }
  EXPECT_EQ(transport->send({.path_and_query = "/reset"}).error().error_class, ErrorClass::Unavailable);
}

TEST_F(Http2Test, after_a_goaway_the_next_request_takes_a_new_connection) {
  serve([](const H2Request&) { return H2Answer{}; });
  connect();
  ASSERT_TRUE(transport->send({.path_and_query = "/x"}));
  peer->go_away();
  const auto again = transport->send({.path_and_query = "/x"});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(peer->connections(), 2);
}

TEST_F(Http2Test, a_rotated_authority_and_client_certificate_serve_new_connections_while_old_ones_go_on) {
  std::promise<std::string> named;
  serve([](const H2Request& request) {
    return H2Answer{.act = request.path == "/watch" ? H2Act::Hold : H2Act::Reply, .body = request.client_name + "\n"};
  });
  const CertifiedKey first = authority.issue("first");
  config.identity = {authority.certificate_pem(), first.certificate_pem, first.key_pem};
  connect();
  Watcher sink;
  std::unique_ptr<Stream> stream;
  on_thread([&] { stream = transport->open({.path_and_query = "/watch"}, sink); });
  sink.status.get_future().wait();
  EXPECT_EQ(transport->send({.path_and_query = "/x"})->body, "first\n");

  const TestAuthority other("authority two");
  peer->use(other.issue("server"));
  EXPECT_EQ(transport->send({.path_and_query = "/x"})->body, "first\n") << "the old connection still stands";
  const CertifiedKey second = authority.issue("second");
  transport->use({other.certificate_pem(), second.certificate_pem, second.key_pem});
  EXPECT_EQ(transport->send({.path_and_query = "/x"})->body, "second\n");
  EXPECT_EQ(sink.closed.get_future().wait_for(milliseconds(0)), std::future_status::timeout);
  on_thread([&] { stream.reset(); });
}

TEST_F(Http2Test, a_server_that_cannot_be_verified_gets_nothing_and_may_be_right_later) {
  serve([](const H2Request&) { return H2Answer{}; });
  config.identity.ca_pem = TestAuthority("stranger").certificate_pem();
  const auto refused = connect().send(post("/x"));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().not_sent);
  EXPECT_EQ(refused.error().error_class, ErrorClass::Unavailable) << refused.error().message;
  transport->use({.ca_pem = authority.certificate_pem()});
  EXPECT_EQ(transport->send(post("/x"))->status, 200);
  EXPECT_EQ(served, 1);
}

TEST_F(Http2Test, a_client_certificate_that_is_none_is_terminal) {
  serve([](const H2Request&) { return H2Answer{}; });
  config.identity.client_certificate_pem = config.identity.client_key_pem = "nonsense";
  EXPECT_EQ(connect().send({.path_and_query = "/x"}).error().error_class, ErrorClass::Terminal);
}

TEST_F(Http2Test, connections_are_changed_when_they_are_old) {
  serve([](const H2Request&) { return H2Answer{}; });
  config.connection_age = [] { return Duration{0}; };
  connect();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(transport->send({.path_and_query = "/x"})->status, 200);
  EXPECT_EQ(peer->connections(), 3);
}

TEST_F(Http2Test, an_answer_beyond_the_limit_is_refused_in_words) {
  serve([](const H2Request&) { return H2Answer{.body = std::string(2000, 'x')}; });
  config.response_limit = 1000;
  const auto answer = connect().send({.path_and_query = "/pods"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().error_class, ErrorClass::Terminal);
  EXPECT_NE(answer.error().message.find("longer than 1000 bytes"), std::string::npos) << answer.error().message;
}

TEST_F(Http2Test, a_huge_header_ends_the_request_and_not_the_process) {
  serve([](const H2Request& request) {
    H2Answer answer;
    if (request.path == "/huge") answer.headers["x-huge"] = std::string(60'000, 'x');
    return answer;
  });
  connect();
  (void)transport->send({.path_and_query = "/huge"});
  EXPECT_EQ(transport->send({.path_and_query = "/x"})->status, 200);
}

TEST_F(Http2Test, more_requests_than_streams_wait_for_their_turn_on_one_connection) {
  serve([](const H2Request&) { return H2Answer{}; }, 10);
  config.requests_at_once = 10;
  connect();
  std::atomic<int> good{0}, ended{0};
  std::promise<void> all;
  for (int i = 0; i < 300; ++i) {
    transport->send_async({.path_and_query = "/x"}, [&](const Result<Response>& response) {
      if (response && response->status == 200) ++good;
      if (++ended == 300) all.set_value();
    });
  }
  all.get_future().wait();
  EXPECT_EQ(good, 300);
  EXPECT_EQ(peer->connections(), 1);
}

TEST_F(Http2Test, a_silent_watch_is_pinged) {
  serve([](const H2Request&) { return H2Answer{.act = H2Act::Hold}; });
  config.ping_interval = milliseconds(20);
  connect();
  Watcher sink;
  std::unique_ptr<Stream> stream;
  on_thread([&] { stream = transport->open({.path_and_query = "/watch"}, sink); });
  while (peer->pings() < 2) std::this_thread::yield();
  on_thread([&] { stream.reset(); });
}

TEST_F(Http2Test, requests_and_watches_go_through_the_proxy) {
  serve([](const H2Request& request) {
    return H2Answer{.act = request.path == "/watch" ? H2Act::Hold : H2Act::Reply, .body = "x"};
  });
  const ConnectProxy proxy;
  config.proxy_url = proxy.url();
  connect();
  Watcher sink;
  std::unique_ptr<Stream> stream;
  on_thread([&] { stream = transport->open({.path_and_query = "/watch"}, sink); });
  EXPECT_EQ(sink.status.get_future().get(), 200);
  EXPECT_EQ(transport->send(post("/x"))->status, 200);
  const std::string target = "127.0.0.1:" + std::to_string(peer->port());
  EXPECT_EQ(proxy.targets(), (std::vector<std::string>{target, target}));
  on_thread([&] { stream.reset(); });
  on_thread([&] { transport.reset(); });
}

TEST_F(Http2Test, the_name_in_the_servers_certificate_may_be_given_also_behind_a_proxy) {
  serve([](const H2Request&) { return H2Answer{}; });
  peer->use(authority.issue("server", "DNS:kubernetes"));
  const ConnectProxy proxy;
  for (const std::string& url : {std::string(), proxy.url()}) {
    config.proxy_url = url;
    config.tls_server_name = "kubernetes";
    EXPECT_EQ(connect().send({.path_and_query = "/x"})->status, 200) << url;
    config.tls_server_name = "other";
    EXPECT_FALSE(connect().send({.path_and_query = "/x"})) << url;
  }
  on_thread([&] { transport.reset(); });
}

TEST_F(Http2Test, a_proxy_that_is_not_there_is_unavailable_and_nothing_was_sent) {
  serve([](const H2Request&) { return H2Answer{}; });
  config.proxy_url = "http://127.0.0.1:1";
  const auto answer = connect().send(post("/x"));
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().not_sent);
}

}  // namespace
}  // namespace reprise::runtime
