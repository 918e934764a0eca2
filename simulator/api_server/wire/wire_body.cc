#include "simulator/api_server/wire/wire_body.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <utility>

#include "simulator/api_server/store/editable.h"

namespace reprise::simulator {
namespace {

Rejection mismatch(std::string_view what, std::string_view found, std::string_view expected) {
  return bad_request(std::string(what) + " in the data (" + std::string(found) + ") does not match the expected " +
                     std::string(what) + " (" + std::string(expected) + ")");
}

Answer<Propagation> read_propagation(std::string_view text) {
  if (text.empty()) return Propagation::Default;
  if (text == "Background") return Propagation::Background;
  if (text == "Foreground") return Propagation::Foreground;
  if (text == "Orphan") return Propagation::Orphan;
  return reject(invalid({.group = "meta.k8s.io", .version = {}, .plural = {}, .kind = "DeleteOptions"}, "",
                        {{"FieldValueNotSupported",
                          "Unsupported value: \"" + std::string(text) +
                              "\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
                          "propagationPolicy"}}));
}

}  // namespace

Answer<Value> parse_body(const WireRequest& asked) {
  boost::system::error_code error;
  Value body = boost::json::parse(asked.request.body, error, new_arena());
  if (error) return reject(bad_request("couldn't get version/kind; json parse error: " + error.message()));
  return body;
}

Answer<Value> parse_object(const KindRules& rules, const WireRequest& asked) {
  const ResourceType& type = rules.type();
  auto body = parse_body(asked);
  if (!body) return body;
  if (!body->is_object()) return reject(bad_request("the request body is no object"));
  const std::string version = asked.shape.events_group ? "events.k8s.io/v1" : type.api_version();
  if (const auto given = text(*body, {"apiVersion"}); !given.empty() && given != version)
    return reject(mismatch("API version", given, version));
  if (rules.is_custom() && text(*body, {"kind"}).empty()) {
    return reject(bad_request("the object provided is unrecognized (must be of type " + type.kind +
                              "): Object 'Kind' is missing in '" + asked.request.body + "'"));
  }
  if (const auto given = text(*body, {"kind"}); !given.empty() && given != type.kind)
    return reject(bad_request("the kind in the data (" + std::string(given) + ") does not match the expected kind (" +
                              type.kind + ")"));
  if (asked.shape.events_group) return to_core_event(*std::move(body));
  return body;
}

Removal RemovalOptions::removal() const {
  Removal bound = how;
  bound.uid = uid;
  bound.resource_version = resource_version;
  return bound;
}

Answer<RemovalOptions> parse_removal(const WireRequest& asked, const Value& options) {
  RemovalOptions read;
  read.uid = text(options, {"preconditions", "uid"});
  read.resource_version = text(options, {"preconditions", "resourceVersion"});
  if (find(options, {"gracePeriodSeconds"}) != nullptr)
    read.how.grace_seconds = number(options, {"gracePeriodSeconds"});
  if (const auto given = value_of(asked.query, "gracePeriodSeconds"); !given.empty()) {
    std::int64_t seconds = 0;
    std::from_chars(given.data(), given.data() + given.size(), seconds);
    read.how.grace_seconds = seconds;
  }
  std::string_view policy = text(options, {"propagationPolicy"});
  if (policy.empty()) policy = value_of(asked.query, "propagationPolicy");
  if (policy.empty() && find(options, {"orphanDependents"}) != nullptr)
    policy = flag(options, {"orphanDependents"}) ? "Orphan" : "Background";
  const Value* orphans = find(options, {"orphanDependents"});
  read.asked_to_collect = orphans != nullptr && !flag(*orphans, {});
  const auto propagation = read_propagation(policy);
  if (!propagation) return reject(propagation.error());
  read.how.propagation = *propagation;
  return read;
}

Answer<RemovalOptions> parse_removal(const WireRequest& asked) {
  if (asked.request.body.empty()) return parse_removal(asked, Value{});
  const auto body = parse_body(asked);
  if (!body) return reject(body.error());
  return parse_removal(asked, *body);
}

std::string success_status(const ResourceType& type, std::string_view name, std::string_view uid) {
  JsonObject details{{"name", Value(name)}};
  if (!type.group.empty()) details["group"] = type.group;
  details["kind"] = type.plural;
  if (!uid.empty()) details["uid"] = Value(uid);
  return boost::json::serialize(JsonObject{{"kind", "Status"},
                                           {"apiVersion", "v1"},
                                           {"metadata", JsonObject{}},
                                           {"status", "Success"},
                                           {"details", std::move(details)}});
}

std::string created_status() {
  return boost::json::serialize(JsonObject{
      {"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", JsonObject{}}, {"status", "Success"}, {"code", 201}});
}

}  // namespace reprise::simulator
