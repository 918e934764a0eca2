// A cloud's metadata service: which documents are asked for, and what they mean. One file for each cloud.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/net/answer.h"
#include "node-agent/notice.h"

namespace reprise::node_agent {

struct Question {
  std::string method = "GET";
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// The seam to the service. An error says why there is no answer.
class Metadata {
 public:
  virtual ~Metadata() = default;
  [[nodiscard]] virtual std::expected<agent::Answer, std::string> ask(const Question& question) = 0;
};

class Cloud {
 public:
  virtual ~Cloud() = default;
  // Asks for every document that could tell of this machine's end. A service that does not answer is asked for one
  // only.
  [[nodiscard]] virtual Seen look(Metadata& metadata, runtime::WallTime now) = 0;
};

enum class Provider { Aws, Gcp, Azure };

[[nodiscard]] std::optional<Provider> provider_of_name(std::string_view name);  // "aws", "gcp", "azure"
// Reads a Node's spec.providerID: "aws:///eu-west-1a/i-0abc", "gce://project/zone/name", "azure:///subscriptions/...".
[[nodiscard]] std::optional<Provider> provider_of_id(std::string_view provider_id);
[[nodiscard]] std::string_view name(Provider provider);

[[nodiscard]] std::unique_ptr<Cloud> make_cloud(Provider provider);

}  // namespace reprise::node_agent
