// Finds whose a token is: the pod that it was projected into. The API server says so of tokens that are bound to a pod
// (KEP-1205; the keys of authentication.kubernetes.io in a TokenReview's user.extra).
#pragma once

#include <optional>
#include <string>

#include "runtime/client/credentials/token_review.h"

namespace reprise::controllers::reports {

struct PodIdentity {
  std::string namespace_, name, uid;
  bool operator==(const PodIdentity&) const = default;
};

// Empty: the user is no service account, or its token is bound to no pod.
[[nodiscard]] std::optional<PodIdentity> pod_of(const runtime::TokenUser& user);

}  // namespace reprise::controllers::reports
