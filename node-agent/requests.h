// The two things that are ever written, as JSON. Pure.
#pragma once

#include <chrono>
#include <string>

#include "node-agent/decide.h"

namespace reprise::node_agent {

// A JSON patch that is refused when anybody has changed the Node since it was read: taints of others stay as they are.
[[nodiscard]] std::string taint_patch(const NodeView& node, const Plan& plan);

// A core/v1 Event about the Node. Its name is that of the occurrence: an Event that is sent twice is there once.
[[nodiscard]] std::string event_of(const NodeView& node, const Notice& notice, std::chrono::sys_seconds now);

// The taint's value: seconds since 1970, or nothing.
[[nodiscard]] std::string value_of(const Notice& notice);

}  // namespace reprise::node_agent
