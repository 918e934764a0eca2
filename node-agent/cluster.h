// The three calls of the API server that the node agent makes, each about its own Node.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>

#include "node-agent/node_view.h"

namespace reprise::node_agent {

struct Refusal {
  int status = 0;  // 0: there was no answer
  std::string why;
  std::optional<std::chrono::seconds> retry_after = {};
  // True when somebody else was faster: read again, decide again. The API server says 422 of a `test` that does not
  // hold.
  [[nodiscard]] bool is_conflict() const { return status == 409 || status == 422; }
  // The same call would be refused again.
  [[nodiscard]] bool is_final() const { return status / 100 == 4 && status != 401 && status != 408 && status != 429; }
};

class Cluster {
 public:
  virtual ~Cluster() = default;
  [[nodiscard]] virtual std::expected<NodeView, Refusal> read_node() = 0;
  [[nodiscard]] virtual std::expected<NodeView, Refusal> patch_node(const std::string& json_patch) = 0;
  [[nodiscard]] virtual std::expected<void, Refusal> create_event(const std::string& json) = 0;
};

}  // namespace reprise::node_agent
