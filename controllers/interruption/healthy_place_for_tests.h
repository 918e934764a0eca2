// A place where a rank runs undisturbed; each test of signals spoils something.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/interruption/signal.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::interruption {

using testing::kStart;
using testing::MakeNode;
using testing::MakeNodeClaim;
using testing::MakePool;

// A healthy rank on node-a behind claim-a.
struct Place {
  kube::Pod pod;
  std::shared_ptr<const kube::Node> node = MakeNode("node-a").get();
  std::shared_ptr<const api::NodeClaim> claim = MakeNodeClaim("claim-a", "node-a").get();
  std::vector<std::shared_ptr<const kube::Event>> events;
  std::shared_ptr<const api::GpuPool> pool;  // none

  Place() {
    pod.meta.name = "job-1-0";
    pod.meta.uid = "uid-pod";
    pod.phase = kube::PodPhase::Running;
    pod.node_name = "node-a";
  }
  void event(std::string reason, std::string kind = "Node", std::string uid = "uid-node-a", kube::Time at = kStart) {
    kube::Event event;
    event.involved_kind = kind;
    event.involved_name = kind == "Node" ? "node-a" : "claim-a";
    event.involved_uid = std::move(uid);
    event.reason = std::move(reason);
    event.last_timestamp = at;
    event.source = "karpenter";
    event.meta.namespace_ = "default";
    event.meta.uid = "uid-event-" + event.reason;
    events.push_back(std::make_shared<const kube::Event>(event));
  }
  // As the pool's status has it.
  void pool_rolled(kube::Time at, std::string_view reason = {}) {
    const api::RolledNode record{"claim-a", "node-a", at, std::string(reason)};
    pool = MakePool("t4").with([&](auto& p) { p.status.drift.rolled = {record}; }).get();
  }
  void change_event(const std::function<void(kube::Event&)>& change) {
    auto changed = std::make_shared<kube::Event>(*events.back());
    change(*changed);
    events.back() = changed;
  }
  [[nodiscard]] std::optional<Signal> look() const {
    return strongest_signal({.pod = &pod,
                             .pod_expected = true,
                             .node_name = "node-a",
                             .node = node.get(),
                             .node_expected = true,
                             .node_claim = claim.get(),
                             .node_claim_expected = true,
                             .events = events,
                             .pool = pool.get(),
                             .notice_seconds = 120});
  }
};

}  // namespace reprise::controllers::interruption
