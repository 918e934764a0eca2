#include "simulator/scenarios/people/confirmation.h"

namespace reprise::simulator {

// The message about the wait ends with the command that confirms it.
std::optional<std::string> awaited_confirmation(const Value& job) {
  for (const Value& each : array(job, {"status", "conditions"})) {
    const std::string_view message = text(each, {"message"});
    const auto at = message.rfind("reprise.dev/confirm-ended=");
    if (text(each, {"reason"}) != "WriterNotFenced" || at == std::string_view::npos) continue;
    return std::string(message.substr(message.find('=', at) + 1));
  }
  return std::nullopt;
}

void confirm(ApiServer& api, std::string_view namespace_, std::string_view job, const std::string& confirmation) {
  const ResourceId jobs = api.resource("reprise.dev", "resumablejobs");
  (void)api.update({jobs, namespace_, job}, [&](Value& value) {
    set(value, {"metadata", "annotations", "reprise.dev/confirm-ended"}, Value(confirmation));
  });
}

}  // namespace reprise::simulator
