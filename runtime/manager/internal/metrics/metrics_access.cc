#include "runtime/manager/internal/metrics/metrics_access.h"

#include <optional>
#include <utility>

#include "runtime/client/credentials/token_review.h"

namespace reprise::runtime::internal {

void ApiAccessReviewer::review(std::string token, std::function<void(Result<ReviewAnswer>)> done) {
  review_token(transport_, token, {},
               [&transport = transport_, done = std::move(done)](Result<std::optional<TokenUser>> user) {
                 if (!user) return done(std::unexpected(std::move(user.error())));
                 if (!*user) return done(ReviewAnswer::NoUser);
                 review_path_access(transport, **user, "/metrics", "get", [done](Result<bool> allowed) {
                   if (!allowed) return done(std::unexpected(std::move(allowed.error())));
                   done(*allowed ? ReviewAnswer::Allowed : ReviewAnswer::Denied);
                 });
               });
}

}  // namespace reprise::runtime::internal
