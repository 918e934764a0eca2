// Decides what to write, from what the cloud says and what the Node bears already. Pure. The Node's taints are all the
// memory there is: a node agent that starts anew writes nothing again.
#pragma once

#include <vector>

#include "node-agent/node_view.h"
#include "node-agent/notice.h"

namespace reprise::node_agent {

struct Plan {
  std::vector<Notice> added;          // one of a kind, the one that comes first; each a taint and an Event
  std::vector<NoticeKind> withdrawn;  // their taints go
  [[nodiscard]] bool empty() const { return added.empty() && withdrawn.empty(); }
};

[[nodiscard]] Plan decide(const NodeView& node, const Seen& seen);

}  // namespace reprise::node_agent
