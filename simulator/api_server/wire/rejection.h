// Rejections of the API server, worded as by a kube-apiserver.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"
#include "simulator/api_server/schema/resource_type.h"

namespace reprise::simulator {

// One field that is wrong.
struct Cause {
  std::string reason;   // "FieldValueInvalid"
  std::string message;  // without the field
  std::string field;    // "spec.containers[0].name"
};

struct Rejection {
  int code = 500;
  std::string reason = {};
  std::string message = {};
  std::string name = {}, group = {}, kind = {}, uid = {};  // details
  std::vector<Cause> causes = {};
  std::int64_t retry_after_seconds = 0;
  std::string continue_token = {};  // for 410: to go on with an inconsistent list
  bool has_details = false;         // even when they are empty
};

template <class T>
using Answer = std::expected<T, Rejection>;

[[nodiscard]] std::unexpected<Rejection> reject(Rejection rejection);

[[nodiscard]] Rejection not_found(const ResourceType& type, std::string_view name);
[[nodiscard]] Rejection already_exists(const ResourceType& type, std::string_view name);
[[nodiscard]] Rejection conflict(const ResourceType& type, std::string_view name, std::string_view why);
// resourceVersion differs.
[[nodiscard]] Rejection modified(const ResourceType& type, std::string_view name);
[[nodiscard]] Rejection invalid(const ResourceType& type, std::string_view name, std::vector<Cause> causes);
[[nodiscard]] Rejection forbidden(const ResourceType& type, std::string_view name, std::string_view why,
                                  std::vector<Cause> causes = {});
[[nodiscard]] Rejection bad_request(std::string message);
// A JSON patch that does not fit the object.
[[nodiscard]] Rejection misfitting_patch();
[[nodiscard]] Rejection no_such_path();
[[nodiscard]] Rejection method_not_allowed();
[[nodiscard]] Rejection unsupported_media_type();
[[nodiscard]] Rejection expired(std::string message);
[[nodiscard]] Rejection too_large_version(std::uint64_t asked, std::uint64_t current);

// The words of one field error, by its kind.
[[nodiscard]] Cause required(std::string field, std::string_view why);
[[nodiscard]] Cause invalid_value(std::string field, std::string_view value_as_json, std::string_view why);
[[nodiscard]] Cause immutable(std::string field, std::string_view value_as_json);
[[nodiscard]] Cause forbidden_field(std::string field, std::string_view why);

// The Status object.
[[nodiscard]] std::string to_status(const Rejection& rejection);
[[nodiscard]] runtime::Error to_error(const Rejection& rejection);

}  // namespace reprise::simulator
