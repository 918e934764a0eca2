#include "node-agent/clouds/gcp.h"

#include "node-agent/look.h"

namespace reprise::node_agent {
namespace {

using Found = std::expected<std::vector<Notice>, std::string>;

std::string_view trimmed(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r') || text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Question instance_document(const char* document) {
  return {.path = std::string("/computeMetadata/v1/instance/") + document, .headers = {{"Metadata-Flavor", "Google"}}};
}

}  // namespace

// No time: how long is left depends on the machine's settings, and the server does not say.
Found read_preempted(std::string_view body) {
  const auto word = trimmed(body);
  if (word == "FALSE") return std::vector<Notice>{};
  if (word != "TRUE") return std::unexpected("it must be TRUE or FALSE");
  return std::vector{
      Notice{.kind = NoticeKind::SpotInterruption, .said = "Google preempts this machine (instance/preempted)"}};
}

Found read_maintenance_event(std::string_view body) {
  const auto word = trimmed(body);
  if (word == "NONE" || word == "MIGRATE_ON_HOST_MAINTENANCE") return std::vector<Notice>{};
  if (word != "TERMINATE_ON_HOST_MAINTENANCE")
    return std::unexpected("it must be NONE, MIGRATE_ON_HOST_MAINTENANCE or TERMINATE_ON_HOST_MAINTENANCE");
  return std::vector{
      Notice{.kind = NoticeKind::ScheduledMaintenance,
             .said = "Google stops this machine for maintenance of its host (instance/maintenance-event)"}};
}

Seen Gcp::look(Metadata& metadata, runtime::WallTime /*now*/) {
  Look look(metadata);
  look.read(instance_document("preempted"), read_preempted);
  look.read(instance_document("maintenance-event"), read_maintenance_event);
  return std::move(look).seen();
}

}  // namespace reprise::node_agent
