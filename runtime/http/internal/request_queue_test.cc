#include "runtime/http/internal/request_queue.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace reprise::runtime {
namespace {

struct RequestQueueTest : ::testing::Test {
  std::shared_ptr<RequestQueue> make(std::size_t at_once, std::size_t waiting_limit) {
    return std::make_shared<RequestQueue>(context, at_once, waiting_limit,
                                          [this](const Request& request, RequestQueue::Done done) {
                                            started.push_back(request.path_and_query);
                                            if (refuse) return done(fail(ErrorClass::NoPermit, "ended"));
                                            running.push_back(std::move(done));
                                          });
  }
  RequestQueue::Done note() {
    return [this](Result<Response> result) { ended.push_back(std::move(result)); };
  }

  boost::asio::io_context context;
  std::vector<std::string> started;
  std::vector<RequestQueue::Done> running;
  std::vector<Result<Response>> ended;
  bool refuse = false;
};

TEST_F(RequestQueueTest, what_exceeds_the_slots_waits_in_order) {
  const auto queue = make(2, 10);
  for (const char* path : {"a", "b", "c", "d"}) queue->add({.path_and_query = path}, note());
  EXPECT_EQ(started, (std::vector<std::string>{"a", "b"}));
  running[0](Response{.status = 200});
  EXPECT_EQ(started, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(ended.size(), 1U);
}

TEST_F(RequestQueueTest, a_full_queue_refuses_and_says_that_nothing_was_sent) {
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

TEST_F(RequestQueueTest, any_number_of_waiting_requests_may_be_refused_at_once) {
  const auto queue = make(1, 200'000);
  for (int i = 0; i < 100'000; ++i) queue->add({}, note());
  refuse = true;
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
