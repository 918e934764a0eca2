// Whether whoever asks for metrics may have them, as controller-runtime's WithAuthenticationAndAuthorization and the
// API server's delegating authorizers decide it: the API server says whose a bearer token is and what that one may.
// Pure; access_guard.h asks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/error.h"

namespace reprise::runtime {

// What the API server said about a token.
enum class ReviewAnswer {
  Allowed,
  Denied,  // to its owner
  NoUser,  // it is nobody's, or no more
};

enum class Access {
  Pass,
  Unauthorized,  // 401
  Forbidden,     // 403
  Failed,        // 500: no review could be made. What is not known to be allowed is not
  Review,        // nothing is known yet
};

// The token of an Authorization header "Bearer TOKEN"; nothing where it has none, or characters that no token has (RFC
// 6750, 2.1).
[[nodiscard]] std::optional<std::string> bearer_token(std::string_view authorization);

// `cached` is an earlier answer that still counts, `reviewed` what a review has said since.
[[nodiscard]] Access authorize(const std::optional<std::string>& token, std::optional<ReviewAnswer> cached,
                               const std::optional<Result<ReviewAnswer>>& reviewed);

}  // namespace reprise::runtime
