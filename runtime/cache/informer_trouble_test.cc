// An informer's reaction when a stream ends, stalls or is rejected, in both encodings.
#include "runtime/cache/informer_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::EncodingNames;
using testing::Encodings;
using testing::Seen;
using testing::World;

template <class Script>
struct InformerTroubleTest : ::testing::Test, World<Script> {};

TYPED_TEST_SUITE(InformerTroubleTest, Encodings, EncodingNames);

TYPED_TEST(InformerTroubleTest, gone_inside_a_200_stream_lists_again_and_keeps_the_store_meanwhile) {
  this->go_live();
  this->gone();
  EXPECT_FALSE(this->stream().open());
  EXPECT_NE(this->informer.store().get("n", "a"), nullptr);
  this->executor.advance(seconds(1));
  ASSERT_EQ(this->transport.streams().size(), 2U);
  EXPECT_TRUE(this->last_request_has("sendInitialEvents=true"));
  EXPECT_TRUE(this->last_request_has("resourceVersion=100"));
  this->stream().status(200);
  this->send("ADDED", {.name = "b", .version = 190});
  EXPECT_NE(this->informer.store().get("n", "a"), nullptr);
  this->bookmark(200, true);
  EXPECT_EQ(this->recorder.take(), (Seen{"-a?", "+b"}));
}

TYPED_TEST(InformerTroubleTest, gone_as_http_status_lists_again) {
  this->go_live();
  this->stream().close(Error{ErrorClass::Unavailable, "GOAWAY", {}});
  this->executor.advance(seconds(1));
  EXPECT_TRUE(this->last_request_has("resourceVersion=100"));
  this->stream().status(410);
  this->stream().bytes(TypeParam::status(410, "Expired", "too old resource version", ""));
  this->stream().close();
  this->executor.advance(seconds(3));
  EXPECT_TRUE(this->last_request_has("sendInitialEvents=true"));
}

TYPED_TEST(InformerTroubleTest, a_version_too_large_lists_again_in_the_end_without_a_version) {
  const std::string message = "Too large resource version: 100, current: 5";
  for (const int code : {504, 500}) {
    for (const bool as_event : {false, true}) {
      World<TypeParam> fresh;
      fresh.go_live();
      fresh.stream().close(Error{ErrorClass::Unavailable, "reset", {}});
      fresh.executor.advance(seconds(1));
      for (int i = 0; i < 2; ++i) {
        fresh.stream().status(as_event ? 200 : code);
        fresh.stream().bytes(as_event ? TypeParam::error(code, "Timeout", message, "ResourceVersionTooLarge")
                                      : TypeParam::status(code, "Timeout", message, "ResourceVersionTooLarge"));
        fresh.stream().close();
        fresh.executor.advance(seconds(5));
        EXPECT_TRUE(fresh.last_request_has("sendInitialEvents=true"));
        EXPECT_EQ(fresh.last_request_has("resourceVersion=100"), i == 0) << code << as_event;
      }
    }
  }
}

TYPED_TEST(InformerTroubleTest, a_throttled_watch_waits_as_long_as_the_status_says) {
  this->start();
  this->stream().status(429, seconds(7));
  this->stream().bytes(TypeParam::status(429, "TooManyRequests", "slow down", ""));
  this->stream().close();
  this->executor.advance(seconds(6));
  EXPECT_EQ(this->transport.streams().size(), 1U);
  this->executor.advance(seconds(2));
  EXPECT_EQ(this->transport.streams().size(), 2U);
}

TYPED_TEST(InformerTroubleTest, a_reset_or_goaway_resumes_from_the_last_version_without_news) {
  this->go_live();
  this->send("MODIFIED", {.name = "a", .version = 101});
  this->stream().close(Error{ErrorClass::Unavailable, "HTTP/2 stream was not closed cleanly", {}});
  this->executor.advance(seconds(1));
  EXPECT_TRUE(this->last_request_has("resourceVersion=101"));
  EXPECT_FALSE(this->last_request_has("sendInitialEvents"));
  this->stream().status(200);
  this->send("DELETED", {.name = "a", .version = 102});
  EXPECT_EQ(this->recorder.take(), (Seen{"~a:90>101", "-a"}));
}

TYPED_TEST(InformerTroubleTest, half_an_event_at_the_end_of_a_stream_is_forgotten) {
  this->go_live();
  const auto event = TypeParam::event("MODIFIED", {.name = "a", .version = 101});
  this->stream().bytes(std::string_view(event).substr(0, event.size() / 2));
  this->stream().close(Error{ErrorClass::Unavailable, "reset", {}});
  this->executor.advance(seconds(1));
  this->stream().status(200);
  this->stream().bytes(event);
  EXPECT_EQ(this->recorder.take(), Seen{"~a:90>101"});
}

TYPED_TEST(InformerTroubleTest, two_hundred_then_close_backs_off_instead_of_spinning) {
  this->go_live();
  this->stream().close(Error{ErrorClass::Unavailable, "reset", {}});
  for (int i = 0; i < 600; ++i) {
    this->executor.advance(seconds(1));
    if (this->stream().open()) {
      this->stream().status(200);
      this->stream().close();
    }
  }
  EXPECT_LT(this->transport.streams().size(), 60U);
  EXPECT_GT(this->transport.streams().size(), 10U);
}

TYPED_TEST(InformerTroubleTest, an_error_event_after_every_open_backs_off_instead_of_spinning) {
  this->start();
  for (int i = 0; i < 600; ++i) {
    this->executor.advance(seconds(1));
    if (!this->stream().open()) continue;
    this->stream().status(200);
    this->stream().bytes(TypeParam::error(500, "InternalError", "etcd is down", ""));
  }
  EXPECT_LT(this->transport.streams().size(), 60U);
  EXPECT_GT(this->transport.streams().size(), 10U);
}

TYPED_TEST(InformerTroubleTest, a_half_open_socket_is_noticed_after_75_s) {
  this->go_live();
  this->executor.advance(seconds(74));
  EXPECT_TRUE(this->stream().open());
  this->executor.advance(seconds(2));
  EXPECT_EQ(this->transport.streams().size(), 2U);
  EXPECT_TRUE(this->last_request_has("resourceVersion=100"));
}

TYPED_TEST(InformerTroubleTest, bookmarks_alone_keep_a_stream_alive_and_move_the_version) {
  this->go_live();
  for (int i = 1; i <= 5; ++i) {
    this->executor.advance(seconds(60));
    this->bookmark(100 + i);
  }
  EXPECT_EQ(this->transport.streams().size(), 1U);
  EXPECT_EQ(this->informer.store().resource_version(), "105");
}

TYPED_TEST(InformerTroubleTest, a_missing_end_of_initial_events_falls_back_to_pages) {
  this->transport.on_request([](const Request& request) -> Result<Response> {
    const bool second = request.path_and_query.find("continue=next") != std::string::npos;
    return Response{.status = 200,
                    .body = second ? TypeParam::page(100, "", {.name = "b", .version = 51})
                                   : TypeParam::page(100, "next", {.name = "a", .version = 50})};
  });
  this->start();
  this->stream().status(200);
  this->send("ADDED", {.name = "stray", .version = 50});
  this->executor.advance(seconds(61));
  EXPECT_TRUE(this->informer.synced());
  EXPECT_EQ(this->recorder.take(), (Seen{"+a", "+b"}));
  EXPECT_TRUE(this->last_request_has("resourceVersion=100"));
  EXPECT_TRUE(this->last_request_has("watch=true"));
}

TYPED_TEST(InformerTroubleTest, a_page_that_is_cut_off_is_asked_for_again) {
  int pages = 0;
  this->transport.on_request([&pages](const Request&) -> Result<Response> {
    std::string body = TypeParam::page(100, "", {.name = "a", .version = 50});
    if (pages++ == 0) body.resize(body.size() - 3);
    return Response{.status = 200, .body = body};
  });
  this->start();
  this->stream().status(405);
  this->stream().close();
  this->executor.advance(seconds(3));
  EXPECT_EQ(pages, 2);
  EXPECT_EQ(this->recorder.take(), Seen{"+a"});
}

TYPED_TEST(InformerTroubleTest, a_listener_that_stops_the_informer_while_pages_take_their_place_ends_all) {
  this->transport.on_request([](const Request&) -> Result<Response> {
    return Response{.status = 200, .body = TypeParam::page(100, "", {.name = "a", .version = 50})};
  });
  this->informer.on_any([this](const auto&) { this->informer.stop(); });
  this->start();
  this->stream().status(405);
  this->stream().close();
  this->executor.advance(seconds(60));
  EXPECT_EQ(this->recorder.take(), Seen{"+a"});
  EXPECT_EQ(this->transport.streams().size(), 1U);
}

TYPED_TEST(InformerTroubleTest,
           a_listener_that_looks_again_in_the_middle_of_a_chunk_reads_on_from_the_new_stream_only) {
  this->go_live();
  this->informer.on_any([this](const auto& thing) {
    if (thing.meta.name == "b") this->informer.look_again("", false);
  });
  this->stream().bytes(TypeParam::event("ADDED", {.name = "b", .version = 101}) +
                       TypeParam::event("ADDED", {.name = "c", .version = 102}));
  EXPECT_EQ(this->recorder.take(), Seen{"+b"});
  EXPECT_TRUE(this->last_request_has("resourceVersion=101"));
  this->stream().status(200);
  this->send("ADDED", {.name = "c", .version = 102});
  EXPECT_EQ(this->recorder.take(), Seen{"+c"});
}

TYPED_TEST(InformerTroubleTest, an_unauthorized_watch_comes_back_later) {
  this->go_live();
  this->stream().close(Error{ErrorClass::Unavailable, "reset", {}});
  this->executor.advance(seconds(1));
  this->stream().status(401);
  this->stream().close();
  this->executor.advance(seconds(3));
  EXPECT_TRUE(this->stream().open());
  EXPECT_TRUE(this->last_request_has("resourceVersion=100"));
}

}  // namespace
}  // namespace reprise::runtime
