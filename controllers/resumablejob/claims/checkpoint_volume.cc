// The agent's findings about the volume, as the status says them.
#include <algorithm>
#include <array>

#include "controllers/resumablejob/decide/phases.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {

// A trainer may write records too: nothing goes on that the API server would refuse.
kube::Rare<api::VolumeStatus> volume_as(const std::optional<protocol::ReportedVolume>& told) {
  constexpr std::array words = {protocol::kDurableBySync, protocol::kDurableByReopen, protocol::kDurableByClose,
                                protocol::kNeverDurable};
  if (!told || std::ranges::find(words, std::string_view(told->durability)) == words.end()) return std::nullopt;
  if (told->type.size() > protocol::kMaxReportedType) return std::nullopt;
  return api::VolumeStatus{.type = told->type,
                           .rename = told->rename,
                           .overwrite = told->overwrite,
                           .remove = told->remove,
                           .durability = told->durability};
}

}  // namespace reprise::controllers::resumablejob
