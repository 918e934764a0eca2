// The whole stack, with real sockets, files and processes, against an HTTP/2 server in this process.
#include "runtime/client/api_transport.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "runtime/http/testing/h2_peer.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;
using testing::H2Answer;
using testing::H2Options;
using testing::H2Peer;
using testing::H2Request;
using testing::TestAuthority;

struct ApiTransportTest : ::testing::Test {
  ApiTransportTest() { std::filesystem::create_directories(folder); }
  ~ApiTransportTest() override {
    executor.stop();
    transport.reset();
    std::filesystem::remove_all(folder);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  void serve(H2Peer::Answerer answer) {
    peer = std::make_unique<H2Peer>(
        H2Options{.identity = authority.issue("server"), .client_ca_pem = authority.certificate_pem()},
        std::move(answer));
    config.server.url = peer->url();
    config.server.identity.ca_pem = authority.certificate_pem();
  }
  Transport& connect() {
    transport = make_api_transport(executor, clock, random, metrics, config);
    return *transport;
  }
  // A plugin that prints `status` and counts its runs in a file.
  void use_plugin(const std::string& status) {
    const std::string text =
        write("answer", R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
                        R"("status":{)" +
                            status + "}}");
    config.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1",
                             .arguments = {"sh", "-c", "echo run >> " + (folder / "runs").string() + "; cat " + text}};
  }
  [[nodiscard]] int runs() const {
    std::ifstream file(folder / "runs");
    int lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }
  static std::string escaped(const std::string& pem) {
    std::string text;
    for (const char c : pem) text += c == '\n' ? std::string("\\n") : std::string(1, c);
    return text;
  }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("reprise-api-transport-test-" + std::to_string(getpid()));
  TestAuthority authority{"authority one"};
  testing::VirtualClock clock;  // for ages; sockets have the real one
  SeededRandom random{1};
  MetricsRegistry metrics;
  ClusterConfig config;
  std::unique_ptr<H2Peer> peer;
  AsioExecutor executor;
  std::unique_ptr<Transport> transport;
};

TEST_F(ApiTransportTest, a_plugin_gives_the_token_and_runs_once_for_many_requests) {
  serve([](const H2Request& request) {
    const auto given = request.headers.find("authorization");
    return H2Answer{.status = given != request.headers.end() && given->second == "Bearer secret" ? 200 : 401};
  });
  use_plugin(R"("token":"secret")");
  connect();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(transport->send({.path_and_query = "/x"})->status, 200);
  EXPECT_EQ(runs(), 1);
}

TEST_F(ApiTransportTest, the_loop_turns_while_a_plugin_hangs_and_who_waits_has_an_end) {
  serve([](const H2Request&) { return H2Answer{}; });
  config.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1",
                           .arguments = {"sleep", "1000"},
                           .install_hint = "Get another one",
                           .timeout = Duration{200}};
  connect();
  std::promise<Result<Response>> ended;
  transport->send_async({.path_and_query = "/x"}, [&](Result<Response> result) { ended.set_value(std::move(result)); });
  std::promise<void> turned;
  executor.post([&] { turned.set_value(); });
  turned.get_future().wait();
  const auto result = ended.get_future().get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error_class, ErrorClass::Unauthorized);
  EXPECT_EQ(result.error().message,
            "credential plugin sleep did not end within 200 ms and was killed. Get another one");
}

TEST_F(ApiTransportTest, a_plugin_that_hangs_does_not_hold_up_the_end) {
  serve([](const H2Request&) { return H2Answer{}; });
  config.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1", .arguments = {"sleep", "1000"}};
  connect();
  std::promise<Result<Response>> ended;
  transport->send_async({.path_and_query = "/x"}, [&](Result<Response> result) { ended.set_value(std::move(result)); });
  executor.stop();
  transport.reset();
  EXPECT_EQ(ended.get_future().get().error().error_class, ErrorClass::Cancelled);
}

TEST_F(ApiTransportTest, a_plugin_may_give_a_client_certificate) {
  serve([](const H2Request& request) { return H2Answer{.body = request.client_name}; });
  const auto person = authority.issue("jane");
  use_plugin(R"("clientCertificateData":")" + escaped(person.certificate_pem) + R"(","clientKeyData":")" +
             escaped(person.key_pem) + R"(")");
  EXPECT_EQ(connect().send({.path_and_query = "/x"})->body, "jane");
}

TEST_F(ApiTransportTest, an_authority_that_changes_with_the_server_costs_no_request) {
  serve([](const H2Request&) { return H2Answer{}; });
  config.tls_files.ca = write("ca", authority.certificate_pem());
  connect();
  EXPECT_EQ(transport->send({.method = Method::Post, .path_and_query = "/x"})->status, 200);
  const TestAuthority other("authority two");
  peer->use(other.issue("server"));
  peer->cut();
  write("ca", other.certificate_pem());
  clock.advance(seconds(60));
  const auto answer = transport->send({.method = Method::Post, .path_and_query = "/x"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
}

TEST_F(ApiTransportTest, an_authority_that_changed_before_its_minute_is_over_is_found_when_the_server_is_not_known) {
  serve([](const H2Request&) { return H2Answer{}; });
  const TestAuthority other("authority two");
  peer->use(other.issue("server"));
  config.tls_files.ca = write("ca", other.certificate_pem());
  connect();
  clock.advance(seconds(1));
  const auto answer = transport->send({.method = Method::Post, .path_and_query = "/x"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
}

TEST_F(ApiTransportTest, a_client_certificate_that_was_renewed_after_a_401_is_used_at_once) {
  serve([](const H2Request& request) { return H2Answer{.status = request.client_name == "new" ? 200 : 401}; });
  const auto before = authority.issue("old");
  const auto after = authority.issue("new");
  config.server.identity.client_certificate_pem = before.certificate_pem;
  config.server.identity.client_key_pem = before.key_pem;
  config.tls_files.certificate = write("cert", after.certificate_pem);
  config.tls_files.key = write("key", after.key_pem);
  connect();
  clock.advance(seconds(1));
  EXPECT_EQ(transport->send({.path_and_query = "/x"})->status, 200);
}

TEST_F(ApiTransportTest, who_we_pose_as_reaches_the_server) {
  serve([](const H2Request& request) { return H2Answer{.body = request.headers.at("impersonate-user")}; });
  config.impersonate.user = "jane";
  EXPECT_EQ(connect().send({.path_and_query = "/x"})->body, "jane");
}

}  // namespace
}  // namespace reprise::runtime
