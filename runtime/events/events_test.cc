#include "runtime/events/events_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct EventsTest : testing::EventsWorld {};
using Methods = std::vector<Method>;

TEST_F(EventsTest, an_event_names_what_it_is_about) {
  record("Placed");
  EXPECT_TRUE(transport.requests().empty());
  executor.settle();
  ASSERT_EQ(methods(), Methods{Method::Post});
  EXPECT_EQ(transport.requests()[0].path_and_query, "/apis/events.k8s.io/v1/namespaces/n/events");
  for (const char* part :
       {R"("regarding":{"apiVersion":"v1","kind":"Pod","name":"p","namespace":"n","uid":"u"})", R"("reason":"Placed")",
        R"("action":"Act")", R"("note":"It happened")", R"("reportingInstance":"pod-1")", R"("type":"Normal")"}) {
    EXPECT_NE(transport.requests()[0].body.find(part), std::string::npos) << part;
  }
}

TEST_F(EventsTest, a_repeat_becomes_a_series_and_another_reason_does_not) {
  record("Placed");
  executor.settle();
  record("Placed");
  executor.settle();
  record("Lost");
  executor.settle();
  EXPECT_EQ(methods(), (Methods{Method::Post, Method::Patch, Method::Post}));
  EXPECT_NE(transport.requests()[1].body.find(R"("count":2)"), std::string::npos);
}

TEST_F(EventsTest, a_series_is_over_after_six_minutes_of_silence) {
  record("Placed");
  executor.settle();
  clock.advance(minutes(7));
  record("Placed");
  executor.settle();
  EXPECT_EQ(methods(), (Methods{Method::Post, Method::Post}));
}

TEST_F(EventsTest, a_series_whose_event_expired_begins_anew) {
  record("Placed");
  executor.settle();
  transport.on_request([](const Request& request) -> Result<Response> {
    if (request.method == Method::Patch) return Response{.status = 404};
    return Response{.status = 201, .body = "{}"};
  });
  record("Placed");
  executor.settle();
  EXPECT_EQ(methods(), (Methods{Method::Post, Method::Patch, Method::Post}));
}

TEST_F(EventsTest, a_series_whose_event_is_always_gone_is_bounded_as_new_events_are) {
  transport.on_request([](const Request& request) -> Result<Response> {
    if (request.method == Method::Patch) return Response{.status = 404};
    return Response{.status = 201, .body = "{}"};
  });
  for (int i = 0; i < 1000; ++i) {
    record("Placed");
    executor.advance(seconds(1));
  }
  EXPECT_LE(transport.requests().size(), 2 * (25U + 4));
  EXPECT_GT(dropped("rate_limited"), 900);
}

TEST_F(EventsTest, too_many_are_dropped_and_counted_and_never_block) {
  for (int i = 0; i < 10; ++i) record("R" + std::to_string(i));
  executor.settle();
  EXPECT_EQ(methods().size(), 3U);
  EXPECT_EQ(dropped("queue_full"), 7);
}

TEST_F(EventsTest, what_found_no_room_has_spent_nothing_of_what_its_object_may_have) {
  for (int i = 0; i < 3; ++i) record("R" + std::to_string(i));
  for (int i = 0; i < 30; ++i) record("Late");
  EXPECT_EQ(dropped("queue_full"), 30);
  executor.settle();
  record("Late");
  executor.settle();
  EXPECT_EQ(methods().size(), 4U);
  EXPECT_EQ(dropped("rate_limited"), 0);
}

TEST_F(EventsTest, what_the_server_rejected_has_spent_its_share) {
  answer(403);
  for (int i = 0; i < 30; ++i) {
    record("Placed");
    executor.settle();
  }
  EXPECT_EQ(methods().size(), 25U);
  EXPECT_EQ(dropped("rate_limited"), 5);
}

TEST_F(EventsTest, without_a_permit_nothing_is_written) {
  permits.set(std::nullopt);
  record("Placed");
  executor.settle();
  EXPECT_TRUE(transport.requests().empty());
  EXPECT_EQ(dropped("no_permit"), 1);
}

TEST_F(EventsTest, a_permit_that_ends_between_decision_and_sending_sends_nothing) {
  permits.set(clock.steady() + seconds(5));
  transport.on_request([](const Request&) -> Result<Response> { return fail(ErrorClass::Unavailable, "reset"); });
  record("Placed");
  executor.settle();
  const std::size_t before = transport.requests().size();
  clock.advance(seconds(20));
  executor.settle();
  EXPECT_EQ(transport.requests().size(), before);
}

TEST_F(EventsTest, what_the_server_rejects_is_dropped_at_once_as_in_a_namespace_that_goes_away) {
  for (const int status : {403, 404, 400, 422}) {
    answer(status);
    const std::size_t before = transport.requests().size();
    record("R" + std::to_string(status));
    executor.advance(seconds(60));
    EXPECT_EQ(transport.requests().size() - before, 1U) << status;
  }
  EXPECT_EQ(dropped("refused"), 4);
  answer(200);
  record("R403");
  executor.settle();
  EXPECT_EQ(methods().back(), Method::Post);
}

TEST_F(EventsTest, a_name_that_is_taken_is_replaced_by_another) {
  std::vector<std::string> bodies;
  transport.on_request([&bodies](const Request& request) -> Result<Response> {
    bodies.push_back(request.body);
    if (bodies.size() == 1) return Response{.status = 409, .body = R"({"kind":"Status","reason":"AlreadyExists"})"};
    return Response{.status = 201, .body = "{}"};
  });
  record("Placed");
  executor.advance(seconds(5));
  ASSERT_EQ(bodies.size(), 2U);
  EXPECT_NE(bodies[0], bodies[1]);
}

TEST_F(EventsTest, an_event_whose_answer_was_lost_is_not_made_twice) {
  std::vector<std::string> bodies;
  transport.on_request([&bodies](const Request& request) -> Result<Response> {
    bodies.push_back(request.body);
    if (bodies.size() == 1) return fail(ErrorClass::Unavailable, "reset after it was carried out");
    return Response{.status = 409, .body = R"({"kind":"Status","reason":"AlreadyExists"})"};
  });
  record("Placed");
  executor.advance(seconds(30));
  ASSERT_EQ(bodies.size(), 2U);
  EXPECT_EQ(bodies[0], bodies[1]);
  EXPECT_EQ(dropped("unreachable"), 0);
}

TEST_F(EventsTest, a_hot_loop_is_five_writes_however_long_the_queue_is_stuck) {
  transport.on_request([](const Request&) -> Result<Response> { return fail(ErrorClass::Unavailable, "reset"); });
  record("Other");
  for (int i = 0; i < 50'000; ++i) record("Hot");
  executor.settle();
  for (int i = 0; i < 50'000; ++i) record("Hot");
  answer(200);
  executor.advance(seconds(30));
  for (int i = 0; i < 100'000; ++i) record("Hot");
  executor.advance(seconds(30));
  EXPECT_LE(methods().size(), 8U);
  EXPECT_EQ(dropped("queue_full"), 0);
}

TEST_F(EventsTest, the_end_of_a_series_is_written_and_then_nothing_ticks_any_more) {
  for (int i = 0; i < 9; ++i) {
    record("Placed");
    executor.settle();
  }
  EXPECT_NE(last_body().find(R"("count":5)"), std::string::npos);
  executor.advance(minutes(8));
  EXPECT_NE(last_body().find(R"("count":9)"), std::string::npos);
  executor.advance(minutes(8));
  EXPECT_FALSE(executor.next_timer());
}

TEST_F(EventsTest, a_flush_writes_the_counts_too) {
  for (int i = 0; i < 9; ++i) {
    record("Placed");
    executor.settle();
  }
  std::string at_the_end;
  recorder.flush([&] { at_the_end = last_body(); });
  executor.settle();
  EXPECT_NE(at_the_end.find(R"("count":9)"), std::string::npos);
}

TEST_F(EventsTest, a_note_is_cut_between_characters) {
  std::string note = "x";
  while (note.size() < 2000) note += "\u20ac";
  record("Placed", note);
  executor.settle();
  EXPECT_NE(last_body().find("\u20ac\""), std::string::npos);
  EXPECT_EQ(last_body().find("\ufffd"), std::string::npos);
}

TEST_F(EventsTest, flush_says_when_all_is_sent) {
  record("A");
  record("B");
  std::size_t sent_by_then = 0;
  recorder.flush([&] { sent_by_then = transport.requests().size(); });
  executor.settle();
  EXPECT_EQ(sent_by_then, 2U);
  bool again = false;
  recorder.flush([&] { again = true; });
  executor.settle();
  EXPECT_TRUE(again);
}

}  // namespace
}  // namespace reprise::runtime
