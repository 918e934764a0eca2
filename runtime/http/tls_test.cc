// Certificates of both sides.
#include "runtime/http/http2_for_tests.h"

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using testing::CertifiedKey;
using testing::H2Act;
using testing::H2Answer;
using testing::H2Request;
using testing::Http2Test;
using testing::TestAuthority;
using testing::Watcher;

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
  const auto failed = connect().send(post("/x"));
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().not_sent);
  EXPECT_EQ(failed.error().error_class, ErrorClass::Unavailable) << failed.error().message;
  transport->use({.ca_pem = authority.certificate_pem()});
  EXPECT_EQ(transport->send(post("/x"))->status, 200);
  EXPECT_EQ(served, 1);
}

TEST_F(Http2Test, a_client_certificate_that_is_none_is_terminal) {
  serve([](const H2Request&) { return H2Answer{}; });
  config.identity.client_certificate_pem = config.identity.client_key_pem = "nonsense";
  EXPECT_EQ(connect().send({.path_and_query = "/x"}).error().error_class, ErrorClass::Terminal);
}

}  // namespace
}  // namespace reprise::runtime
