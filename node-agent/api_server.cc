#include "node-agent/api_server.h"

#include "agent/json/json.h"
#include "agent/net/answer.h"
#include "agent/net/read_beginning.h"
#include "agent/net/tls_connection.h"
#include "agent/net/token_file.h"

namespace reprise::node_agent {
namespace {

constexpr std::chrono::seconds kLongestExchange{5};
// A Node names up to fifty images, each by several names.
constexpr std::size_t kMostBytes = std::size_t{2} << 20U;
constexpr std::size_t kMostAuthorityBytes = std::size_t{256} << 10U;
constexpr std::size_t kLongestReason = 300;

// The API server's answer to a refused call, and its reason, for people.
std::string reason_in(const agent::Answer& answer) {
  const auto status = agent::parse_object(answer.body);
  std::string said = status ? agent::text_of(*status, "message").value_or("") : "";
  if (said.size() > kLongestReason) said.resize(kLongestReason);
  for (char& each : said) {
    if (static_cast<unsigned char>(each) < 0x20) each = ' ';
  }
  return "it answers " + std::to_string(answer.status) + (said.empty() ? "" : ": " + said);
}

}  // namespace

std::expected<NodeView, Refusal> ApiServer::read_node() {
  return node_of({.method = "GET", .path = "/api/v1/nodes/" + options_.node_name});
}

std::expected<NodeView, Refusal> ApiServer::patch_node(const std::string& json_patch) {
  return node_of({.method = "PATCH",
                  .path = "/api/v1/nodes/" + options_.node_name + "?fieldManager=reprise-node-agent",
                  .content_type = "application/json-patch+json",
                  .body = json_patch});
}

std::expected<void, Refusal> ApiServer::create_event(const std::string& json) {
  const auto made = call({.method = "POST",
                          .path = "/api/v1/namespaces/default/events",
                          .content_type = "application/json",
                          .body = json});
  if (!made) return std::unexpected(made.error());
  return {};
}

std::expected<NodeView, Refusal> ApiServer::node_of(const Call& what) const {
  const auto body = call(what);
  if (!body) return std::unexpected(body.error());
  auto node = parse_node(*body);
  if (!node) return std::unexpected(Refusal{.why = what.path + ": its answer is no Node"});
  return *std::move(node);
}

std::expected<std::string, Refusal> ApiServer::call(const Call& what) const {
  const std::string where = std::string(what.method) + " " + what.path + ": ";
  const auto received = exchange(what);
  if (!received) return std::unexpected(Refusal{.why = where + received.error()});
  auto answer = agent::parse_answer(*received);
  if (!answer) return std::unexpected(Refusal{.why = where + "its answer is not HTTP, incomplete or too long"});
  if (!answer->is_good()) {
    return std::unexpected(
        Refusal{.status = answer->status, .why = where + reason_in(*answer), .retry_after = answer->retry_after});
  }
  return std::move(answer->body);
}

std::expected<std::string, std::string> ApiServer::exchange(const Call& what) const {
  const auto token = agent::read_token(options_.token_file);
  if (!token) return std::unexpected("no token can be read from " + options_.token_file);
  const auto authority = agent::read_beginning(options_.authority_file, kMostAuthorityBytes);
  if (!authority) return std::unexpected("no certificate can be read from " + options_.authority_file);
  const auto tls = agent::TlsClient::create(*authority, options_.server_name);
  if (!tls) return std::unexpected(options_.authority_file + ": " + tls.error());
  std::string request = std::string(what.method) + " " + what.path + " HTTP/1.1\r\nHost: " + options_.address.text +
                        "\r\nAuthorization: Bearer " + *token +
                        "\r\nUser-Agent: reprise-node-agent\r\nAccept: application/json\r\nConnection: close\r\n";
  if (!what.body.empty()) {
    request += "Content-Type: " + std::string(what.content_type) +
               "\r\nContent-Length: " + std::to_string(what.body.size()) + "\r\n";
  }
  request += "\r\n" + std::string(what.body);
  return (*tls)->ask(options_.address, request, clock_.steady() + kLongestExchange, agent::whole_answer(kMostBytes));
}

}  // namespace reprise::node_agent
