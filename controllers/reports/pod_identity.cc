#include "controllers/reports/pod_identity.h"

#include <string_view>

namespace reprise::controllers::reports {

std::optional<PodIdentity> pod_of(const runtime::TokenUser& user) {
  constexpr std::string_view prefix = "system:serviceaccount:";
  const std::string_view name = user.username;
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::size_t colon = name.find(':', prefix.size());
  if (colon == std::string_view::npos) return std::nullopt;
  const auto only = [&](const char* key) -> std::string {
    const auto found = user.extra.find(key);
    return found != user.extra.end() && found->second.size() == 1 ? found->second.front() : std::string();
  };
  PodIdentity pod{.namespace_ = std::string(name.substr(prefix.size(), colon - prefix.size())),
                  .name = only("authentication.kubernetes.io/pod-name"),
                  .uid = only("authentication.kubernetes.io/pod-uid")};
  if (pod.namespace_.empty() || pod.name.empty() || pod.uid.empty()) return std::nullopt;
  return pod;
}

}  // namespace reprise::controllers::reports
