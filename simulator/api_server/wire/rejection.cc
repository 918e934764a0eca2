#include "simulator/api_server/wire/rejection.h"

#include <boost/json/serialize.hpp>
#include <utility>

#include "simulator/base/json.h"

namespace reprise::simulator {
namespace {

// "pods", "resumablejobs.reprise.dev"
std::string resource_of(const ResourceType& type) {
  return type.group.empty() ? type.plural : type.plural + "." + type.group;
}

std::string kind_of(const ResourceType& type) {
  return type.group.empty() ? type.kind : type.kind + "." + type.group;
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

Rejection about(const ResourceType& type, std::string_view name, int code, std::string reason, std::string message) {
  return {.code = code,
          .reason = std::move(reason),
          .message = std::move(message),
          .name = std::string(name),
          .group = type.group,
          .kind = type.plural};
}

runtime::ErrorClass class_of(const Rejection& rejection) {
  using runtime::ErrorClass;
  switch (rejection.code) {
    case 400:
    case 405:
    case 415:
    case 422:
      return ErrorClass::Invalid;
    case 403:
      return ErrorClass::Forbidden;
    case 404:
      return ErrorClass::NotFound;
    case 409:
      return rejection.reason == "AlreadyExists" ? ErrorClass::AlreadyExists : ErrorClass::Conflict;
    case 410:
    case 504:
      return ErrorClass::Expired;
    case 429:
      return ErrorClass::Throttled;
    default:
      return ErrorClass::Terminal;
  }
}

}  // namespace

std::unexpected<Rejection> reject(Rejection rejection) {
  return std::unexpected(std::move(rejection));
}

Rejection not_found(const ResourceType& type, std::string_view name) {
  return about(type, name, 404, "NotFound", resource_of(type) + " " + in_quotes(name) + " not found");
}

Rejection already_exists(const ResourceType& type, std::string_view name) {
  return about(type, name, 409, "AlreadyExists", resource_of(type) + " " + in_quotes(name) + " already exists");
}

Rejection conflict(const ResourceType& type, std::string_view name, std::string_view why) {
  return about(
      type, name, 409, "Conflict",
      "Operation cannot be fulfilled on " + resource_of(type) + " " + in_quotes(name) + ": " + std::string(why));
}

Rejection modified(const ResourceType& type, std::string_view name) {
  return conflict(type, name,
                  "the object has been modified; please apply your changes to the latest version and try again");
}

Rejection invalid(const ResourceType& type, std::string_view name, std::vector<Cause> causes) {
  std::string list;
  for (const Cause& cause : causes) {
    if (!list.empty()) list += ", ";
    list += cause.field + ": " + cause.message;
  }
  if (causes.size() > 1) list = "[" + list + "]";
  Rejection rejection =
      about(type, name, 422, "Invalid", kind_of(type) + " " + in_quotes(name) + " is invalid: " + std::move(list));
  rejection.kind = type.kind;
  rejection.causes = std::move(causes);
  return rejection;
}

Rejection forbidden(const ResourceType& type, std::string_view name, std::string_view why, std::vector<Cause> causes) {
  Rejection rejection = about(type, name, 403, "Forbidden",
                              resource_of(type) + " " + in_quotes(name) + " is forbidden: " + std::string(why));
  rejection.causes = std::move(causes);
  return rejection;
}

Rejection bad_request(std::string message) {
  return {.code = 400, .reason = "BadRequest", .message = std::move(message)};
}

Rejection misfitting_patch() {
  return {.code = 422,
          .reason = "Invalid",
          .message = "the server rejected our request due to an error in our request",
          .has_details = true};
}

Rejection no_such_path() {
  return {.code = 404,
          .reason = "NotFound",
          .message = "the server could not find the requested resource",
          .has_details = true};
}

Rejection method_not_allowed() {
  return {.code = 405,
          .reason = "MethodNotAllowed",
          .message = "the server does not allow this method on the requested resource",
          .has_details = true};
}

Rejection unsupported_media_type() {
  return {.code = 415, .reason = "UnsupportedMediaType", .message = "415: Unsupported Media Type", .has_details = true};
}

Rejection expired(std::string message) {
  return {.code = 410, .reason = "Expired", .message = std::move(message)};
}

Rejection too_large_version(std::uint64_t asked, std::uint64_t current) {
  return {.code = 504,
          .reason = "Timeout",
          .message =
              "Timeout: Too large resource version: " + std::to_string(asked) + ", current: " + std::to_string(current),
          .causes = {{"ResourceVersionTooLarge", "Too large resource version", ""}},
          .retry_after_seconds = 1};
}

Cause required(std::string field, std::string_view why) {
  return {"FieldValueRequired", why.empty() ? "Required value" : "Required value: " + std::string(why),
          std::move(field)};
}

Cause invalid_value(std::string field, std::string_view value_as_json, std::string_view why) {
  return {"FieldValueInvalid", "Invalid value: " + std::string(value_as_json) + ": " + std::string(why),
          std::move(field)};
}

Cause immutable(std::string field, std::string_view value_as_json) {
  return invalid_value(std::move(field), value_as_json, "field is immutable");
}

Cause forbidden_field(std::string field, std::string_view why) {
  return {"FieldValueForbidden", "Forbidden: " + std::string(why), std::move(field)};
}

std::string to_status(const Rejection& rejection) {
  JsonObject metadata;
  if (!rejection.continue_token.empty()) metadata["continue"] = rejection.continue_token;
  JsonObject status{{"kind", "Status"},
                    {"apiVersion", "v1"},
                    {"metadata", std::move(metadata)},
                    {"status", "Failure"},
                    {"message", rejection.message}};
  if (!rejection.reason.empty()) status["reason"] = rejection.reason;
  JsonObject details;
  if (!rejection.name.empty()) details["name"] = rejection.name;
  if (!rejection.group.empty()) details["group"] = rejection.group;
  if (!rejection.kind.empty()) details["kind"] = rejection.kind;
  if (!rejection.uid.empty()) details["uid"] = rejection.uid;
  for (const Cause& cause : rejection.causes) {
    JsonObject one;
    if (!cause.reason.empty()) one["reason"] = cause.reason;
    one["message"] = cause.message;
    if (!cause.field.empty()) one["field"] = cause.field;
    JsonArray& all = details["causes"].is_array() ? details["causes"].get_array() : details["causes"].emplace_array();
    all.emplace_back(std::move(one));
  }
  if (rejection.retry_after_seconds > 0) details["retryAfterSeconds"] = rejection.retry_after_seconds;
  if (!details.empty() || rejection.has_details) status["details"] = std::move(details);
  status["code"] = rejection.code;
  return boost::json::serialize(status);
}

runtime::Error to_error(const Rejection& rejection) {
  return {.error_class = class_of(rejection), .message = rejection.message, .retry_after = {}, .not_sent = {}};
}

}  // namespace reprise::simulator
