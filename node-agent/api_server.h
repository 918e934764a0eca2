// The API server, as a pod's service account speaks to it. Token and authority are read for each call: calls are rare,
// and both are renewed by others.
#pragma once

#include <string>
#include <string_view>

#include "agent/net/address.h"
#include "node-agent/cluster.h"
#include "runtime/base/clock.h"

namespace reprise::node_agent {

class ApiServer final : public Cluster {
 public:
  struct Options {
    agent::Address address;
    std::string server_name;  // in its certificate: names are compared there, addresses are not
    std::string token_file, authority_file;
    std::string node_name;
  };
  ApiServer(Options options, const runtime::Clock& clock) : options_(std::move(options)), clock_(clock) {}

  [[nodiscard]] std::expected<NodeView, Refusal> read_node() override;
  [[nodiscard]] std::expected<NodeView, Refusal> patch_node(const std::string& json_patch) override;
  [[nodiscard]] std::expected<void, Refusal> create_event(const std::string& json) override;

 private:
  struct Call {
    std::string_view method;
    std::string path;
    std::string_view content_type = {};
    std::string_view body = {};
  };
  // The body of a good answer.
  [[nodiscard]] std::expected<std::string, Refusal> call(const Call& call) const;
  [[nodiscard]] std::expected<std::string, std::string> exchange(const Call& call) const;
  [[nodiscard]] std::expected<NodeView, Refusal> node_of(const Call& call) const;

  Options options_;
  const runtime::Clock& clock_;
};

}  // namespace reprise::node_agent
