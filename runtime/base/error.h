// Errors are values with a class. Policy (retry, give up, re-list) reads the class and never the text;
// the text is for people: it names the object, the field, what was found, what is allowed, what to do.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace reprise::runtime {

enum class ErrorClass {
  NotFound,       // the object does not exist
  AlreadyExists,  // create met an object of that name
  Conflict,       // resourceVersion, uid or a JSON patch `test` did not hold: read again, decide again
  Invalid,       // the server, or a webhook of its, rejected the content (400, 422): it passes when one of them changes
  Forbidden,     // 403: the service account lacks a right, or admission rejected
  Unauthorized,  // 401: credentials are to be renewed
  Expired,       // 410 or "too large resourceVersion": list again
  Throttled,     // 429: `retry_after` says when
  Unavailable,   // connection lost, timeout, 5xx: the request may or may not have been carried out
  NoPermit,      // this process is not the leader (any more): nothing was sent
  Cancelled,     // shutting down
  Terminal,      // a defect or an environment that no retry mends
};

[[nodiscard]] std::string_view name(ErrorClass error_class);

struct Error {
  ErrorClass error_class = ErrorClass::Terminal;
  std::string message;
  std::optional<std::chrono::milliseconds> retry_after;  // as the server says, up to a minute
  bool not_sent = false;  // certainly not carried out, for it never left: any such request may be sent again

  // Puts the action in front of the message: "create Pod vision/a-1-0: connection refused".
  [[nodiscard]] Error with_context(std::string_view doing) && {
    message.insert(0, std::string(doing) + ": ");
    return std::move(*this);
  }
};

template <class T>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorClass error_class, std::string message) {
  return std::unexpected(
      Error{.error_class = error_class, .message = std::move(message), .retry_after = {}, .not_sent = {}});
}

}  // namespace reprise::runtime
