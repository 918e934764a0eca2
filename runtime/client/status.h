// Translates an unsuccessful answer of the API server into an Error.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/http/transport.h"

namespace reprise::runtime {

// Decodes metav1.Status when the body is one, in JSON or protobuf, else the HTTP code. `code` 0: unknown.
[[nodiscard]] Error decode_status(int code, std::string_view body);
// decode_status plus the server's Retry-After.
[[nodiscard]] Error error_of(const Response& response);
[[nodiscard]] inline bool is_success(int status) {
  return status >= 200 && status < 300;
}

}  // namespace reprise::runtime
