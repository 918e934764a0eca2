// Decides whether a request may read metrics, as controller-runtime's WithAuthenticationAndAuthorization and the API
// server's delegating authorizers do: the API server says whose a bearer token is and what that user may do. Pure;
// access_guard.h asks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/error.h"

namespace reprise::runtime {

// The API server's answer about a token.
enum class ReviewAnswer {
  Allowed,
  Denied,  // to its owner
  NoUser,  // the token belongs to nobody, or no longer
};

enum class Access {
  Pass,
  Unauthorized,  // 401
  Forbidden,     // 403
  Failed,        // 500: no review could be made, so nothing is known to be allowed
  Review,        // no answer is known yet
};

// The token of an Authorization header "Bearer TOKEN"; nothing where it has none, or characters that no token has (RFC
// 6750, 2.1).
[[nodiscard]] std::optional<std::string> bearer_token(std::string_view authorization);

// `cached`: an earlier answer that still counts; `reviewed`: the result of a review made since.
[[nodiscard]] Access authorize(const std::optional<std::string>& token, std::optional<ReviewAnswer> cached,
                               const std::optional<Result<ReviewAnswer>>& reviewed);

}  // namespace reprise::runtime
