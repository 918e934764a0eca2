#include "agent/core/record/volume_text.h"

#include "agent/core/record/utf8.h"
#include "agent/json/json.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {

boost::json::object encode_volume(const protocol::ReportedVolume& volume) {
  std::string type = as_utf8(volume.type);
  cut(type, protocol::kMaxReportedType);
  boost::json::object object{{"type", type}, {"durability", volume.durability}};
  if (volume.rename) object["rename"] = *volume.rename;
  if (volume.overwrite) object["overwrite"] = *volume.overwrite;
  if (volume.remove) object["delete"] = *volume.remove;
  return object;
}

std::optional<protocol::ReportedVolume> decode_volume(const boost::json::object& in) {
  const auto* found = in.if_contains("volume");
  if (found == nullptr || !found->is_object()) return std::nullopt;
  const auto& object = found->get_object();
  return protocol::ReportedVolume{.type = text_of(object, "type").value_or(""),
                                  .rename = flag_of(object, "rename"),
                                  .overwrite = flag_of(object, "overwrite"),
                                  .remove = flag_of(object, "delete"),
                                  .durability = text_of(object, "durability").value_or("")};
}

}  // namespace reprise::agent
