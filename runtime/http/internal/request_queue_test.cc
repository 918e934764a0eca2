#include "runtime/http/internal/request_queue.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace reprise::runtime {
namespace {

struct RequestQueueTest : ::testing::Test {
  std::shared_ptr<RequestQueue> make(std::size_t at_once, std::size_t waiting_limit) {
    return std::make_shared<RequestQueue>(context, at_once, waiting_limit,
                                          [this](const Request& request, Duration left, RequestQueue::Done done) {
                                            started.push_back(request.path_and_query);
                                            times.push_back(left);
                                            if (reject) return done(fail(ErrorClass::NoPermit, "ended"));
                                            running.push_back(std::move(done));
                                          });
  }
  RequestQueue::Done note() {
    return [this](Result<Response> result) { ended.push_back(std::move(result)); };
  }

  boost::asio::io_context context;
  std::vector<std::string> started;
  std::vector<Duration> times;
  std::vector<RequestQueue::Done> running;
  std::vector<Result<Response>> ended;
  bool reject = false;
};

TEST_F(RequestQueueTest, what_exceeds_the_slots_waits_in_order) {
  const auto queue = make(2, 10);
  for (const char* path : {"a", "b", "c", "d"}) queue->add({.path_and_query = path}, note());
  EXPECT_EQ(started, (std::vector<std::string>{"a", "b"}));
  running[0](Response{.status = 200});
  EXPECT_EQ(started, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(ended.size(), 1U);
}

TEST_F(RequestQueueTest, a_full_queue_rejects_and_says_that_nothing_was_sent) {
  const auto queue = make(1, 1);
  for (int i = 0; i < 3; ++i) queue->add({}, note());
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_TRUE(ended[0].error().not_sent);
  EXPECT_EQ(ended[0].error().error_class, ErrorClass::Unavailable);
}

TEST_F(RequestQueueTest, who_finds_no_slot_within_its_timeout_ends_unsent_and_others_keep_waiting) {
  const auto queue = make(1, 10);
  queue->add({.path_and_query = "stuck"}, note());
  queue->add({.path_and_query = "patient"}, note());
  queue->add({.path_and_query = "hasty", .timeout = Duration{1}}, note());
  while (ended.empty()) context.run_one();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_TRUE(ended[0].error().not_sent);
  running[0](Response{});
  EXPECT_EQ(started, (std::vector<std::string>{"stuck", "patient"}));
}

TEST_F(RequestQueueTest, waiting_is_part_of_a_requests_time) {
  const auto queue = make(1, 10);
  queue->add({.path_and_query = "first", .timeout = Duration{5'000}}, note());
  queue->add({.path_and_query = "second", .timeout = Duration{5'000}}, note());
  queue->add({.path_and_query = "meanwhile", .timeout = Duration{30}}, note());
  while (ended.empty()) context.run_one();  // until the third has waited its time
  running[0](Response{});
  ASSERT_EQ(started, (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(times[0], Duration{5'000});
  EXPECT_LE(times[1], Duration{5'000 - 30});
}

TEST_F(RequestQueueTest, what_has_no_time_left_when_a_slot_is_free_ends_unsent) {
  const auto queue = make(1, 10);
  queue->add({.path_and_query = "first"}, note());
  queue->add({.path_and_query = "late", .timeout = Duration{0}}, note());
  running[0](Response{});
  EXPECT_EQ(started, std::vector<std::string>{"first"});
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_TRUE(ended[0].error().not_sent);
}

TEST_F(RequestQueueTest, one_slot_more_is_for_urgent_requests_alone) {
  const auto queue = make(2, 1);
  for (const char* path : {"a", "b", "c"}) queue->add({.path_and_query = path}, note());
  queue->add({.path_and_query = "lease", .urgent = true}, note());
  EXPECT_EQ(started, (std::vector<std::string>{"a", "b", "lease"}));
  running[2](Response{});
  EXPECT_EQ(started.size(), 3U);
}

TEST_F(RequestQueueTest, an_urgent_request_is_taken_by_a_full_queue_and_goes_before_all_that_wait) {
  const auto queue = make(1, 1);
  queue->add({.path_and_query = "a"}, note());
  queue->add({.path_and_query = "b"}, note());
  for (const char* path : {"lease 1", "lease 2", "lease 3"})
    queue->add({.path_and_query = path, .urgent = true}, note());
  EXPECT_TRUE(ended.empty());
  for (int i = 0; i < 4; ++i) running[static_cast<std::size_t>(i)](Response{});
  EXPECT_EQ(started, (std::vector<std::string>{"a", "lease 1", "lease 2", "lease 3", "b"}));
}

TEST_F(RequestQueueTest, any_number_of_waiting_requests_may_be_rejected_at_once) {
  const auto queue = make(1, 200'000);
  for (int i = 0; i < 100'000; ++i) queue->add({}, note());
  reject = true;
  running[0](Response{});
  EXPECT_EQ(ended.size(), 100'000U);
}

TEST_F(RequestQueueTest, what_waits_at_the_end_is_cancelled) {
  const auto queue = make(1, 10);
  queue->add({}, note());
  queue->add({}, note());
  queue->stop();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].error().error_class, ErrorClass::Cancelled);
}

}  // namespace
}  // namespace reprise::runtime
