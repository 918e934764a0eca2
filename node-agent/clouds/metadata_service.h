// The machine's own metadata service, by plain HTTP without a proxy.
#pragma once

#include "agent/net/address.h"
#include "node-agent/clouds/cloud.h"
#include "runtime/base/clock.h"

namespace reprise::node_agent {

class MetadataService final : public Metadata {
 public:
  static constexpr std::chrono::milliseconds kLongestExchange{900};
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10U;

  MetadataService(agent::Address server, const runtime::Clock& clock) : server_(std::move(server)), clock_(clock) {}
  [[nodiscard]] std::expected<agent::Answer, std::string> ask(const Question& question) override;

 private:
  agent::Address server_;
  const runtime::Clock& clock_;
};

}  // namespace reprise::node_agent
