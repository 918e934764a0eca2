#include "runtime/metrics/serving/authorize.h"

#include <algorithm>

namespace reprise::runtime {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool of_a_token(char c) {
  const char small = lower(c);
  return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || std::string_view("-._~+/=").contains(c);
}

Access access_of(ReviewAnswer answer) {
  switch (answer) {
    case ReviewAnswer::Allowed:
      return Access::Pass;
    case ReviewAnswer::Denied:
      return Access::Forbidden;
    case ReviewAnswer::NoUser:
      return Access::Unauthorized;
  }
  return Access::Failed;
}

}  // namespace

std::optional<std::string> bearer_token(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer ";
  if (authorization.size() <= scheme.size()) return std::nullopt;
  if (!std::ranges::equal(authorization.substr(0, scheme.size()), scheme, {}, lower)) return std::nullopt;
  authorization.remove_prefix(scheme.size());
  if (!std::ranges::all_of(authorization, of_a_token)) return std::nullopt;
  return std::string(authorization);
}

Access authorize(const std::optional<std::string>& token, std::optional<ReviewAnswer> cached,
                 const std::optional<Result<ReviewAnswer>>& reviewed) {
  if (!token) return Access::Unauthorized;
  if (reviewed) return *reviewed ? access_of(**reviewed) : Access::Failed;
  return cached ? access_of(*cached) : Access::Review;
}

}  // namespace reprise::runtime
