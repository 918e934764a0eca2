// Asks whose a bearer token is, and what that user may do: TokenReview (authentication.k8s.io/v1) and
// SubjectAccessReview (authorization.k8s.io/v1). Needs the rights to create tokenreviews and subjectaccessreviews.
// Nothing is remembered here.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/http/transport.h"

namespace reprise::runtime {

// How long one review may take: controller-runtime's TokenAccessReviewTimeout (pkg/metrics/filters).
constexpr Duration review_timeout{10'000};

struct TokenUser {
  std::string username, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
  bool operator==(const TokenUser&) const = default;
};

// `done` is called once, on the executor's thread, with the user, or with nothing when the token belongs to nobody or
// is not meant for one of `audiences` (none given: the API server itself). An error: no answer could be had. Any
// thread; `transport` outlives the call.
void review_token(Transport& transport, const std::string& token, const std::vector<std::string>& audiences,
                  std::function<void(Result<std::optional<TokenUser>>)> done);

// The same for whether `user` may do `verb` ("get") on a path that is no resource ("/metrics").
void review_path_access(Transport& transport, const TokenUser& user, const std::string& path, const std::string& verb,
                        std::function<void(Result<bool>)> done);

}  // namespace reprise::runtime
