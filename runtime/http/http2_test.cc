// Connections of the real transport: how many, for what, how long, and what leaves them.
#include <arpa/inet.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "runtime/http/http2_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using testing::H2Act;
using testing::H2Answer;
using testing::H2Request;
using testing::Http2Test;
using testing::Watcher;

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

TEST_F(Http2Test, requests_that_follow_one_another_carry_nothing_of_the_one_before) {
  std::vector<H2Request> seen;
  serve([&](const H2Request& request) {
    seen.push_back(request);
    return H2Answer{.body = request.path};
  });
  const Request first{.method = Method::Patch,
                      .path_and_query = "/first",
                      .headers = {{"Content-Type", "application/merge-patch+json"}, {"Authorization", "Bearer old"}},
                      .body = "a long body"};
  Request second{.method = Method::Patch, .path_and_query = "/second", .headers = {}, .body = "short"};
  Request third{.method = Method::Patch, .path_and_query = "/third", .headers = {{"Authorization", "Bearer new"}}};
  connect();
  for (const Request& request : {first, second, third, Request{.path_and_query = "/get"},
                                 Request{.method = Method::Delete, .path_and_query = "/delete"}, first}) {
    const auto answer = transport->send(request);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, request.path_and_query);
    EXPECT_EQ(seen.back().method, name(request.method));
    EXPECT_EQ(seen.back().body, request.body);
    for (const char* header : {"authorization", "content-type"}) {
      const auto wanted = std::ranges::find_if(
          request.headers, [&](const auto& each) { return strcasecmp(each.first.c_str(), header) == 0; });
      const auto found = seen.back().headers.find(header);
      const bool typed_by_libcurl = wanted == request.headers.end() && std::string_view(header) == "content-type";
      if (typed_by_libcurl) continue;
      EXPECT_EQ(found == seen.back().headers.end() ? "" : found->second,
                wanted == request.headers.end() ? "" : wanted->second)
          << request.path_and_query;
    }
  }
  EXPECT_EQ(peer->connections(), 1);
}

TEST_F(Http2Test, a_request_after_one_that_failed_is_as_any_other) {
  serve([](const H2Request& request) {
    return H2Answer{.act = request.path == "/reset" ? H2Act::Reset : H2Act::Reply, .body = request.body};
  });
  connect();
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(transport->send({.method = Method::Patch, .path_and_query = "/reset", .body = "lost"}));
    const auto answer = transport->send({.method = Method::Patch, .path_and_query = "/x", .body = "kept"});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "kept");
  }
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
    return H2Answer{.act = request.connection == 1 && request.nth > 1 ? H2Act::Silence : H2Act::Reply};
  });
  EXPECT_TRUE(connect().send({.path_and_query = "/x"}));  // the connection stands, however slow the machine is
  EXPECT_FALSE(transport->send({.path_and_query = "/x", .timeout = milliseconds(100)}));
  EXPECT_TRUE(transport->send({.path_and_query = "/x"}));
  EXPECT_TRUE(transport->send({.path_and_query = "/x"}));
  EXPECT_EQ(peer->connections(), 2);
}

TEST_F(Http2Test, watches_leave_a_connection_on_which_one_fell_silent) {
  serve([](const H2Request&) { return H2Answer{.act = H2Act::Hold}; });
  connect();
  const auto watch_for = [&](Duration at_most, Duration idle) {
    Watcher sink;
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Timer> timer;
    std::promise<void> over;
    on_thread([&] { stream = transport->open({.path_and_query = "/watch", .idle_timeout = idle}, sink); });
    EXPECT_EQ(sink.status.get_future().get(), 200);
    on_thread([&] {
      timer = executor.after(at_most, [&] {
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

TEST_F(Http2Test, connections_are_changed_when_they_are_old) {
  serve([](const H2Request&) { return H2Answer{}; });
  config.connection_age = [] { return Duration{0}; };
  connect();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(transport->send({.path_and_query = "/x"})->status, 200);
  EXPECT_EQ(peer->connections(), 3);
}

TEST_F(Http2Test, an_answer_beyond_the_limit_is_rejected_in_words) {
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

}  // namespace
}  // namespace reprise::runtime
