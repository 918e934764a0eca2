// Azure's scheduled events. A document tells of all machines of a scale set: only what names this one counts. Nothing
// is acknowledged, since that would have it begin at once.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "node-agent/clouds/cloud.h"

namespace reprise::node_agent {

// {"DocumentIncarnation": 1, "Events": [{"EventType": "Preempt", "Resources": ["vmss_0"], "EventStatus": "Scheduled",
// "NotBefore": "Mon, 19 Sep 2026 18:29:47 GMT", ...}]}. A Freeze keeps memory and is none; neither is what is far off.
[[nodiscard]] std::expected<std::vector<Notice>, std::string> read_scheduled_events(std::string_view body,
                                                                                    std::string_view machine,
                                                                                    runtime::WallTime now);

class Azure final : public Cloud {
 public:
  [[nodiscard]] Seen look(Metadata& metadata, runtime::WallTime now) override;

 private:
  std::string machine_;  // as the cloud calls it; empty before it said so
};

}  // namespace reprise::node_agent
