#include "simulator/api_server/schema/strict_fields.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "simulator/api_server/cel/cel_rules.h"
#include "simulator/api_server/patch/yaml.h"
#include "simulator/api_server/schema/schema.h"

namespace reprise::simulator {
namespace {

constexpr std::array<std::string_view, 15> kMetadata{"annotations",
                                                     "creationTimestamp",
                                                     "deletionGracePeriodSeconds",
                                                     "deletionTimestamp",
                                                     "finalizers",
                                                     "generateName",
                                                     "generation",
                                                     "labels",
                                                     "managedFields",
                                                     "name",
                                                     "namespace",
                                                     "ownerReferences",
                                                     "resourceVersion",
                                                     "selfLink",
                                                     "uid"};

class UnknownFields {
 public:
  explicit UnknownFields(std::vector<Cause>& causes) : causes_(causes) {}

  void below(const Schema& schema, const Value& value, const std::string& path) {
    if (const JsonObject* members = value.if_object()) {
      for (const auto& member : *members) see(schema, member.key(), member.value(), path);
    } else if (const JsonArray* elements = value.if_array(); elements != nullptr && schema.items) {
      for (std::size_t i = 0; i < elements->size(); ++i)
        below(*schema.items, (*elements)[i], path + "[" + std::to_string(i) + "]");
    }
  }

  void say(const std::string& field, const std::string& allowed) {
    causes_.push_back({.reason = "FieldValueInvalid", .message = "unknown field; allowed: " + allowed, .field = field});
  }

 private:
  void see(const Schema& schema, std::string_view name, const Value& value, const std::string& path) {
    // The root's own members are checked separately.
    if (path.empty() && (name == "apiVersion" || name == "kind" || name == "metadata")) return;
    const std::string field = path.empty() ? std::string(name) : path + "." + std::string(name);
    if (const auto known = schema.properties.find(name); known != schema.properties.end())
      return below(known->second, value, field);
    if (schema.additional) return below(*schema.additional, value, field);
    // Validation reports a value of another type than an object.
    if (schema.preserve_unknown || schema.type != Schema::Type::Object) return;
    std::string allowed;
    for (const auto& [each, _] : schema.properties) allowed += (allowed.empty() ? "" : ", ") + each;
    say(field, allowed);
  }

  std::vector<Cause>& causes_;
};

void look_at_metadata(const Value& object, UnknownFields& unknown) {
  const Value* metadata = find(object, {"metadata"});
  if (metadata == nullptr || !metadata->is_object()) return;
  std::string allowed;
  for (const std::string_view each : kMetadata) allowed += (allowed.empty() ? "" : ", ") + std::string(each);
  for (const auto& member : metadata->get_object())
    if (std::ranges::find(kMetadata, std::string_view(member.key())) == kMetadata.end())
      unknown.say("metadata." + std::string(member.key()), allowed);
}

// A rule may look for an unknown field: a rule that cannot be evaluated then says nothing new.
void add_broken_rules(const Value& schema, const Value& object, std::vector<Cause>& causes) {
  const bool broken = !causes.empty();
  for (Cause& each : rule_causes(schema, object))
    if (!broken || each.message.find("(the rule cannot be evaluated") == std::string::npos)
      causes.push_back(std::move(each));
}

}  // namespace

struct StrictDefinition::Version {
  std::string api_version;
  Value json;
  Schema schema;
};

runtime::Result<StrictDefinition> StrictDefinition::read(std::string_view crd_yaml) {
  const auto crd = read_yaml(crd_yaml);
  if (!crd) return std::unexpected(crd.error());
  auto versions = std::make_shared<std::vector<Version>>();
  for (const Value& version : array(*crd, {"spec", "versions"})) {
    const Value* json = find(version, {"schema", "openAPIV3Schema"});
    if (json == nullptr) return runtime::fail(runtime::ErrorClass::Invalid, "the version has no schema");
    auto schema = read_schema(*json);
    if (!schema) return std::unexpected(std::move(schema).error());
    versions->push_back({std::string(text(*crd, {"spec", "group"})) + "/" + std::string(text(version, {"name"})), *json,
                         *std::move(schema)});
  }
  StrictDefinition definition;
  definition.versions_ = std::move(versions);
  return definition;
}

std::vector<Cause> StrictDefinition::causes(Value object, CelRules rules) const {
  const auto api_version = text(object, {"apiVersion"});
  const auto version = std::ranges::find(*versions_, api_version, &Version::api_version);
  if (version == versions_->end()) {
    std::string all;
    for (const Version& each : *versions_) all += (all.empty() ? "" : " or ") + each.api_version;
    return {{.reason = "FieldValueNotSupported",
             .message = "found '" + std::string(api_version) + "', must be " + all,
             .field = "apiVersion"}};
  }
  std::vector<Cause> causes;
  UnknownFields unknown(causes);
  look_at_metadata(object, unknown);
  unknown.below(version->schema, object, {});
  set_defaults(version->schema, object, nullptr);
  // The server evaluates no rules for an object whose types, required fields or words are wrong, and says so.
  bool blocked = false;
  for (Cause& each : validate(version->schema, object, nullptr)) {
    blocked = blocked || each.field == "<nil>";
    if (each.field != "<nil>") causes.push_back(std::move(each));
  }
  if (rules == CelRules::Checked && !blocked) add_broken_rules(version->json, object, causes);
  return causes;
}

runtime::Result<std::vector<Cause>> strict_causes(std::string_view crd_yaml, Value object) {
  auto definition = StrictDefinition::read(crd_yaml);
  if (!definition) return std::unexpected(std::move(definition).error());
  return definition->causes(std::move(object));
}

}  // namespace reprise::simulator
