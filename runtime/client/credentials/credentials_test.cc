#include "runtime/client/credentials/credentials.h"

#include <gtest/gtest.h>

#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::ManualExecutor;
using testing::ScriptedTransport;
using testing::VirtualClock;

// Gives its credential only when the test says so.
struct SlowSource final : CredentialSource {
  void get(Done done) override { waiting.push_back(std::move(done)); }
  void rejected(const Credential&) override { ++rejections; }
  void give(const Result<Credential>& credential) {
    const auto ready = std::exchange(waiting, {});
    for (const Done& done : ready) done(credential);
  }
  std::vector<Done> waiting;
  int rejections = 0;
};

struct CredentialsTest : ::testing::Test {
  void wrap(std::unique_ptr<CredentialSource> source, Headers more = {}) {
    credentialed = with_credentials(transport, std::move(source), executor, clock, std::move(more));
  }
  SlowSource& wrap_slow() {
    auto owned = std::make_unique<SlowSource>();
    SlowSource& source = *owned;
    wrap(std::move(owned));
    return source;
  }
  void get(Request request = {}) {
    ended.reset();
    credentialed->send_async(std::move(request), [this](Result<Response> result) { ended = std::move(result); });
    executor.settle();
  }
  std::string sent_token() { return transport.requests().back().headers.back().second; }

  VirtualClock clock;
  ManualExecutor executor{clock};
  ScriptedTransport transport{executor};
  std::optional<std::string> file = "one\n";
  std::unique_ptr<Transport> credentialed =
      with_credentials(transport, make_file_token([this] { return file; }, clock), executor, clock);
  std::optional<Result<Response>> ended;
};

struct NullSink final : StreamSink {
  void on_status(int code, std::optional<Duration>) override { status = code; }
  void on_bytes(std::string_view) override {}
  void on_closed(std::optional<Error> error) override { closed = std::move(error); }
  int status = 0;
  std::optional<Error> closed;
};

TEST_F(CredentialsTest, a_token_file_is_read_again_after_a_minute) {
  get();
  EXPECT_EQ(sent_token(), "Bearer one");
  file = "two";
  clock.advance(seconds(59));
  get();
  EXPECT_EQ(sent_token(), "Bearer one");
  clock.advance(seconds(1));
  get();
  EXPECT_EQ(sent_token(), "Bearer two");
}

TEST_F(CredentialsTest, the_old_token_is_kept_while_the_file_cannot_be_read) {
  get();
  file.reset();
  clock.advance(seconds(120));
  get();
  EXPECT_EQ(sent_token(), "Bearer one");
}

TEST_F(CredentialsTest, after_a_401_the_request_is_tried_once_with_a_newer_token) {
  get();
  file = "two";
  transport.on_request([](const Request& request) -> Result<Response> {
    return Response{.status = request.headers.back().second == "Bearer two" ? 200 : 401};
  });
  get();
  EXPECT_EQ((*ended)->status, 200);
}

TEST_F(CredentialsTest, after_a_401_with_no_newer_token_nothing_is_repeated) {
  transport.on_request([](const Request&) -> Result<Response> { return Response{.status = 401}; });
  get();
  EXPECT_EQ((*ended)->status, 401);
  EXPECT_EQ(transport.requests().size(), 1U);
}

TEST_F(CredentialsTest, a_second_401_is_the_answer) {
  get();
  file = "two";
  transport.on_request([](const Request&) -> Result<Response> { return Response{.status = 401}; });
  get();
  EXPECT_EQ((*ended)->status, 401);
  EXPECT_EQ(transport.requests().size(), 3U);
}

TEST_F(CredentialsTest, a_request_waits_for_its_credential_and_the_wait_counts) {
  SlowSource& source = wrap_slow();
  transport.on_request([](const Request&) { return Response{.status = 200}; });
  get({.timeout = seconds(30)});
  executor.advance(seconds(10));
  EXPECT_FALSE(ended);
  source.give(Credential{.bearer = "late"});
  executor.settle();
  ASSERT_TRUE(ended);
  EXPECT_EQ(sent_token(), "Bearer late");
  EXPECT_EQ(transport.requests().back().timeout, seconds(20));
}

TEST_F(CredentialsTest, a_request_that_gets_no_credential_in_time_ends_unsent) {
  SlowSource& source = wrap_slow();
  get({.method = Method::Post, .timeout = seconds(30)});
  executor.advance(seconds(30));
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->error().error_class, ErrorClass::Unavailable);
  EXPECT_TRUE(ended->error().not_sent);
  source.give(Credential{.bearer = "too late"});
  executor.settle();
  EXPECT_TRUE(transport.requests().empty());
}

TEST_F(CredentialsTest, why_there_is_no_credential_is_told) {
  SlowSource& source = wrap_slow();
  get();
  source.give(fail(ErrorClass::Unauthorized, "the plugin is not installed"));
  executor.settle();
  EXPECT_EQ(ended->error().message, "the plugin is not installed");
}

TEST_F(CredentialsTest, a_watch_opens_once_there_is_a_credential_and_its_401_is_seen) {
  SlowSource& source = wrap_slow();
  NullSink sink;
  const auto stream = credentialed->open({}, sink);
  executor.settle();
  EXPECT_TRUE(transport.streams().empty());
  source.give(Credential{.bearer = "x"});
  executor.settle();
  ASSERT_EQ(transport.streams().size(), 1U);
  EXPECT_EQ(sent_token(), "Bearer x");
  transport.last_stream().status(401);
  EXPECT_EQ(source.rejections, 1);
  EXPECT_EQ(sink.status, 401);
}

TEST_F(CredentialsTest, a_watch_without_a_credential_is_closed_and_a_cancelled_one_never_opens) {
  SlowSource& source = wrap_slow();
  NullSink rejected, cancelled;
  const auto stream = credentialed->open({}, rejected);
  auto other = credentialed->open({}, cancelled);
  other.reset();
  source.give(fail(ErrorClass::Unauthorized, "none"));
  executor.settle();
  ASSERT_TRUE(rejected.closed);
  EXPECT_EQ(rejected.closed->error_class, ErrorClass::Unauthorized);
  EXPECT_FALSE(cancelled.closed);
  EXPECT_TRUE(transport.streams().empty());
}

TEST_F(CredentialsTest, who_we_pose_as_is_on_every_request) {
  wrap(make_static_token("t"), {{"Impersonate-User", "jane"}});
  get();
  EXPECT_EQ(transport.requests().back().headers.front(), (Headers::value_type{"Impersonate-User", "jane"}));
}

}  // namespace
}  // namespace reprise::runtime
