// Input of the node agent: answers by HTTP, the documents of three clouds, its own Node.
#include <algorithm>
#include <functional>

#include "agent/json/json.h"
#include "agent/net/answer.h"
#include "node-agent/clouds/aws.h"
#include "node-agent/clouds/azure.h"
#include "node-agent/clouds/cloud_time.h"
#include "node-agent/clouds/gcp.h"
#include "node-agent/requests.h"
#include "tests/fuzz/invariant.h"

namespace agent = reprise::agent;
namespace node_agent = reprise::node_agent;
using reprise::fuzz::invariant;

namespace {

bool is_own(const boost::json::value& taint) {
  return std::ranges::any_of(node_agent::kAllKinds, [&](auto kind) {
    return node_agent::wording_of(kind).taint == node_agent::key_of(taint);
  });
}

// Checks that a patch is JSON and keeps others' taints, whatever the Node bears.
void patched(const node_agent::NodeView& node, const std::vector<node_agent::Notice>& notices) {
  const auto plan = node_agent::decide(node, {.notices = notices, .problem = {}});
  const auto patch = agent::parse_array(node_agent::taint_patch(node, plan));
  invariant(patch && patch->size() == 2, "a patch can be read");
  const auto& taints = patch->at(1).as_object().at("value").as_array();
  invariant(
      std::ranges::count_if(taints, std::not_fn(is_own)) == std::ranges::count_if(node.taints, std::not_fn(is_own)),
      "taints of others stay");
  for (const auto& notice : notices)
    invariant(agent::parse_object(node_agent::event_of(node, notice, {})).has_value(), "an Event can be read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = reprise::fuzz::text_of(data, size);
  if (agent::is_whole(text) && agent::parse_answer_head(text))
    invariant(agent::parse_answer(text).has_value(), "an answer that is whole can be read");
  if (const auto answer = agent::parse_answer(text)) invariant(answer->body.size() <= size, "a body grows by nothing");
  std::vector<node_agent::Notice> notices;
  const auto add = [&](const auto& found) {
    if (found) notices.insert(notices.end(), found->begin(), found->end());
  };
  add(node_agent::read_instance_action(text));
  add(node_agent::read_lifecycle_state(text));
  add(node_agent::read_rebalance(text));
  add(node_agent::read_maintenance(text, {}));
  add(node_agent::read_preempted(text));
  add(node_agent::read_maintenance_event(text));
  add(node_agent::read_scheduled_events(text, "vm_0", {}));
  if (const auto time = node_agent::parse_cloud_time(text))
    invariant(!node_agent::time_text(*time).empty(), "a time has a notation");
  patched(node_agent::parse_node(text).value_or(
              node_agent::NodeView{.name = "a", .uid = "u", .resource_version = "1", .provider_id = {}, .taints = {}}),
          notices);
  return 0;
}
