#include "node-agent/clouds/azure.h"

#include <algorithm>
#include <cctype>

#include "agent/json/json.h"
#include "node-agent/clouds/cloud_time.h"
#include "node-agent/look.h"

namespace reprise::node_agent {
namespace {

using Found = std::expected<std::vector<Notice>, std::string>;

Question metadata_document(const char* document) {
  return {.path = std::string("/metadata/") + document, .headers = {{"Metadata", "true"}}};
}

// Azure's names have no case.
bool same_name(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other,
                            [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

bool names(const boost::json::object& event, std::string_view machine) {
  const auto* resources = agent::array_of(event, "Resources");
  return resources != nullptr && std::ranges::any_of(*resources, [&](const boost::json::value& each) {
           return each.is_string() && same_name(each.as_string(), machine);
         });
}

bool is_to_come(const boost::json::object& event) {
  const std::string status = agent::text_of(event, "EventStatus").value_or("");
  return status == "Scheduled" || status == "Started";
}

std::optional<Notice> notice_of(const boost::json::object& event, runtime::WallTime now) {
  const std::string type = agent::text_of(event, "EventType").value_or("");
  const auto at = parse_cloud_time(agent::text_of(event, "NotBefore").value_or(""));
  const std::string said = "Azure has scheduled " + type + " of this machine";
  if (type == "Preempt") return Notice{.kind = NoticeKind::SpotInterruption, .said = said, .at = at};
  if (type == "Terminate") return Notice{.kind = NoticeKind::InstanceTermination, .said = said, .at = at};
  if ((type == "Reboot" || type == "Redeploy") && is_near(at, now))
    return Notice{.kind = NoticeKind::ScheduledMaintenance, .said = said, .at = at};
  return std::nullopt;
}

}  // namespace

Found read_scheduled_events(std::string_view body, std::string_view machine, runtime::WallTime now) {
  const auto document = agent::parse_object(body);
  const auto* events = document ? agent::array_of(*document, "Events") : nullptr;
  if (events == nullptr) return std::unexpected("it has no list of Events");
  std::vector<Notice> found;
  for (const auto& value : *events) {
    const auto* event = value.if_object();
    if (event == nullptr || !names(*event, machine) || !is_to_come(*event)) continue;
    if (auto notice = notice_of(*event, now)) found.push_back(*std::move(notice));
  }
  return found;
}

Seen Azure::look(Metadata& metadata, runtime::WallTime now) {
  Look look(metadata);
  if (machine_.empty())
    machine_ = look.need(metadata_document("instance/compute/name?api-version=2021-02-01&format=text")).value_or("");
  if (!machine_.empty()) {
    look.read(metadata_document("scheduledevents?api-version=2020-07-01"),
              [&](std::string_view body) { return read_scheduled_events(body, machine_, now); });
  }
  return std::move(look).seen();
}

}  // namespace reprise::node_agent
