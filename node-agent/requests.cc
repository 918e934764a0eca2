#include "node-agent/requests.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "agent/json/json.h"
#include "node-agent/clouds/cloud_time.h"

namespace reprise::node_agent {
namespace {

constexpr const char* kComponent = "reprise-node-agent";

bool is_withdrawn(const boost::json::value& taint, const Plan& plan) {
  return std::ranges::any_of(plan.withdrawn, [&](NoticeKind each) { return wording_of(each).taint == key_of(taint); });
}

// FNV-1a: the same on each machine and in each version.
std::string digest_of(const std::string& text) {
  std::uint64_t sum = 14695981039346656037U;
  for (const char each : text) sum = (sum ^ static_cast<unsigned char>(each)) * 1099511628211U;
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(sum));
  return hex.data();
}

}  // namespace

std::string value_of(const Notice& notice) {
  if (!notice.at || notice.at->time_since_epoch().count() <= 0) return {};
  return std::to_string(notice.at->time_since_epoch().count());
}

std::string taint_patch(const NodeView& node, const Plan& plan) {
  boost::json::array taints;
  for (const auto& each : node.taints) {
    if (!is_withdrawn(each, plan)) taints.push_back(each);
  }
  for (const Notice& each : plan.added) {
    const Wording words = wording_of(each.kind);
    boost::json::object taint{{"key", words.taint}, {"effect", words.effect}};
    if (const std::string value = value_of(each); !value.empty()) taint["value"] = value;
    taints.emplace_back(std::move(taint));
  }
  return agent::array_text(boost::json::array{
      boost::json::object{{"op", "test"}, {"path", "/metadata/resourceVersion"}, {"value", node.resource_version}},
      boost::json::object{{"op", "add"}, {"path", "/spec/taints"}, {"value", std::move(taints)}}});
}

std::string event_of(const NodeView& node, const Notice& notice, std::chrono::sys_seconds now) {
  const Wording words = wording_of(notice.kind);
  const std::string occurrence = node.uid + "/" + std::string(words.taint) + "/" + value_of(notice) + "/" + notice.said;
  const bool goes = notice.kind != NoticeKind::RebalanceRecommendation;
  const std::string message =
      notice.said + (notice.at ? (goes ? ": it goes at " : " since ") + time_text(*notice.at) : "");
  const std::string time = time_text(now);
  return agent::to_text(boost::json::object{
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", std::string(kComponent) + "." + digest_of(occurrence)}, {"namespace", "default"}}},
      {"involvedObject", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node.name}, {"uid", node.uid}}},
      {"reason", words.reason},
      {"message", message},
      {"type", words.type},
      {"source", {{"component", kComponent}, {"host", node.name}}},
      {"reportingComponent", kComponent},
      {"reportingInstance", node.name},
      {"firstTimestamp", time},
      {"lastTimestamp", time},
      {"count", 1}});
}

}  // namespace reprise::node_agent
