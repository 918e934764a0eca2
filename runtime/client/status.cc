#include "runtime/client/status.h"

#include <algorithm>
#include <utility>

#include "runtime/client/internal/protobuf_status.h"
#include "runtime/http/retry_after.h"
#include "runtime/internal/json.h"
#include "runtime/kube/protobuf/protobuf.h"

namespace reprise::runtime {
namespace {

using internal::member;
using internal::number_of;
using internal::text_of;

ErrorClass class_of(int code) {
  switch (code) {
    case 400:
    case 405:
    case 406:
    case 413:
    case 415:
    case 422:
      return ErrorClass::Invalid;
    case 401:
      return ErrorClass::Unauthorized;
    case 403:
      return ErrorClass::Forbidden;
    case 404:
      return ErrorClass::NotFound;
    case 408:
      return ErrorClass::Unavailable;
    case 409:
      return ErrorClass::Conflict;
    case 410:
      return ErrorClass::Expired;
    case 429:
      return ErrorClass::Throttled;
    default:
      // 3xx: something in between wants us elsewhere.
      return code >= 500 || code < 400 ? ErrorClass::Unavailable : ErrorClass::Terminal;
  }
}

// An answer that is no Status came from something in between, or from a server that does not serve the kind yet ("404
// page not found"): it proves nothing about the object. An empty body is taken by its code.
ErrorClass class_of_foreign(int code, std::string_view body) {
  const ErrorClass by_code = class_of(code);
  const bool final =
      by_code == ErrorClass::NotFound || by_code == ErrorClass::Invalid || by_code == ErrorClass::Terminal;
  return final && !body.empty() ? ErrorClass::Unavailable : by_code;
}

bool any_cause(const Json::Value& status, const auto& matches) {
  const Json::Value& causes = member(member(status, "details"), "causes");
  return causes.isArray() && std::any_of(causes.begin(), causes.end(), matches);
}

// A JSON patch that does not fit the object (a `test` that did not hold, a path that is not there) is answered 422 with
// this text and nothing else (1.35); a refusal by validation comes with the kind and causes.
bool is_misfitting_patch(const Json::Value& status) {
  return text_of(status, "message") == "the server rejected our request due to an error in our request" &&
         text_of(member(status, "details"), "kind").empty();
}

ErrorClass class_of(int code, const Json::Value& status) {
  const std::string reason = text_of(status, "reason");
  if (code == 409 && reason == "AlreadyExists") return ErrorClass::AlreadyExists;
  if (reason == "Expired" || reason == "Gone") return ErrorClass::Expired;
  if (any_cause(status,
                [](const Json::Value& cause) { return text_of(cause, "reason") == "ResourceVersionTooLarge"; }) ||
      text_of(status, "message").starts_with("Too large resource version")) {
    return ErrorClass::Expired;
  }
  if (code == 422 && is_misfitting_patch(status)) return ErrorClass::Conflict;
  return class_of(code);
}

std::string message_of(const Json::Value& status) {
  std::string message = text_of(status, "message");
  const Json::Value& causes = member(member(status, "details"), "causes");
  if (!causes.isArray()) return message;
  for (const Json::Value& cause : causes) {
    const std::string text = text_of(cause, "message");
    if (!text.empty() && message.find(text) == std::string::npos) message += " (" + text + ")";
  }
  return message;
}

}  // namespace

Error decode_status(int code, std::string_view body) {
  const bool protobuf = kube::protobuf::is_envelope(body);
  const auto status = protobuf ? internal::read_protobuf_status(body) : internal::parse_json(body);
  if (!status || text_of(*status, "kind") != "Status") {
    std::string text(protobuf ? "(protobuf that is no Status)" : body.substr(0, 200));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    return {class_of_foreign(code, body), "HTTP " + std::to_string(code) + (text.empty() ? "" : ": " + text), {}};
  }
  if (code == 0 || is_success(code)) code = static_cast<int>(number_of(*status, "code"));
  Error error{class_of(code, *status), message_of(*status), {}};
  if (const auto seconds = number_of(member(*status, "details"), "retryAfterSeconds"); seconds > 0) {
    error.retry_after = retry_after_of(seconds);
  }
  return error;
}

Error error_of(const Response& response) {
  Error error = decode_status(response.status, response.body);
  if (response.retry_after) error.retry_after = response.retry_after;
  return error;
}

}  // namespace reprise::runtime
