// The ends of requests and watches, and which requests are sent again.
#include "runtime/http/http2_for_tests.h"

namespace reprise::runtime {
namespace {

using testing::H2Act;
using testing::H2Answer;
using testing::H2Request;
using testing::Http2Test;
using testing::Watcher;

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
  for (const H2Act rejection : {H2Act::Refuse, H2Act::GoAwayRefuse}) {
    served = 0;
    serve([&](const H2Request& request) {
      after_the_call_that_sent_it();
      return H2Answer{.act = request.path == "/x" && served == 2 ? rejection : H2Act::Reply};
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
    const char* invariant;
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
    EXPECT_TRUE(!error || error->error_class == ErrorClass::Unavailable) << test.invariant << ": " << error->message;
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

}  // namespace
}  // namespace reprise::runtime
