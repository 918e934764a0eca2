// The way to the API server leads through a proxy of any kind.
#include "runtime/http/http2_for_tests.h"

namespace reprise::runtime {
namespace {

using testing::H2Act;
using testing::H2Answer;
using testing::H2Request;
using testing::Http2Test;
using testing::ProxyKind;
using testing::ProxyPeer;
using testing::TestAuthority;
using testing::Watcher;

struct ProxyTest : Http2Test, ::testing::WithParamInterface<ProxyKind> {
  void serve_watches() {
    serve([](const H2Request& request) {
      return H2Answer{.act = request.path == "/watch" ? H2Act::Hold : H2Act::Reply, .body = "x"};
    });
  }
  [[nodiscard]] std::string port() const { return std::to_string(peer->port()); }
};

TEST_P(ProxyTest, requests_and_watches_go_through_it) {
  serve_watches();
  const ProxyPeer proxy(GetParam(), authority.issue("proxy"));
  config.proxy_url = proxy.url();
  connect();
  Watcher sink;
  std::unique_ptr<Stream> stream;
  on_thread([&] { stream = transport->open({.path_and_query = "/watch"}, sink); });
  EXPECT_EQ(sink.status.get_future().get(), 200);
  EXPECT_EQ(transport->send(post("/x"))->status, 200);
  const std::string target = "127.0.0.1:" + port();
  EXPECT_EQ(proxy.targets(), (std::vector<std::string>{target, target}));
  on_thread([&] { stream.reset(); });
  on_thread([&] { transport.reset(); });
}

TEST_P(ProxyTest, a_name_is_left_to_it_to_resolve) {
  serve_watches();
  peer->use(authority.issue("server", "DNS:api.reprise.test"));
  const ProxyPeer proxy(GetParam(), authority.issue("proxy"));
  config.proxy_url = proxy.url();
  config.url = "https://api.reprise.test:" + port();
  const auto answer = connect().send({.path_and_query = "/x"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(proxy.targets(), std::vector<std::string>{"api.reprise.test:" + port()});
  on_thread([&] { transport.reset(); });
}

TEST_P(ProxyTest, the_name_in_the_servers_certificate_may_be_given_also_behind_it) {
  serve_watches();
  peer->use(authority.issue("server", "DNS:kubernetes"));
  const ProxyPeer proxy(GetParam(), authority.issue("proxy"));
  for (const std::string& url : {std::string(), proxy.url()}) {
    config.proxy_url = url;
    config.tls_server_name = "kubernetes";
    EXPECT_EQ(connect().send({.path_and_query = "/x"})->status, 200) << url;
    config.tls_server_name = "other";
    EXPECT_FALSE(connect().send({.path_and_query = "/x"})) << url;
  }
  on_thread([&] { transport.reset(); });
}

TEST_P(ProxyTest, one_that_is_not_there_is_unavailable_and_nothing_was_sent) {
  serve_watches();
  const std::string url = ProxyPeer(GetParam(), authority.issue("proxy")).url();  // the proxy is gone again
  config.proxy_url = url;
  const auto answer = connect().send(post("/x"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().error_class, ErrorClass::Unavailable) << answer.error().message;
  EXPECT_TRUE(answer.error().not_sent);
}

INSTANTIATE_TEST_SUITE_P(All, ProxyTest, ::testing::Values(ProxyKind::Http, ProxyKind::Https, ProxyKind::Socks5),
                         [](const auto& one) {
                           return one.param == ProxyKind::Http    ? "http"
                                  : one.param == ProxyKind::Https ? "https"
                                                                  : "socks5";
                         });

TEST_F(ProxyTest, an_https_proxy_that_cannot_be_verified_gets_nothing) {
  serve_watches();
  const ProxyPeer proxy(ProxyKind::Https, TestAuthority("stranger").issue("proxy"));
  config.proxy_url = proxy.url();
  const auto answer = connect().send(post("/x"));
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().not_sent);
  EXPECT_TRUE(proxy.targets().empty());
  EXPECT_EQ(served, 0);
}

}  // namespace
}  // namespace reprise::runtime
