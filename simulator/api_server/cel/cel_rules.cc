#include "simulator/api_server/cel/cel_rules.h"

#include <string>

#include "simulator/api_server/cel/cel.h"

namespace reprise::simulator {
namespace {

class Rules {
 public:
  explicit Rules(std::vector<Cause>& causes) : causes_(causes) {}

  void look_at(const Value& schema, const Value& value, const std::string& path) {
    if (value.is_null()) return;
    for (const Value& rule : array(schema, {"x-kubernetes-validations"})) check(rule, value, path);
    if (const JsonObject* members = value.if_object()) {
      const Value* rest = find(schema, {"additionalProperties"});
      for (const auto& member : *members) {
        const Value* of = find(schema, {"properties", member.key()});
        if (of == nullptr) of = rest;
        if (of != nullptr)
          look_at(*of, member.value(),
                  path.empty() ? std::string(member.key()) : path + "." + std::string(member.key()));
      }
    } else if (const JsonArray* elements = value.if_array()) {
      const Value* items = find(schema, {"items"});
      for (std::size_t i = 0; items != nullptr && i < elements->size(); ++i)
        look_at(*items, (*elements)[i], path + "[" + std::to_string(i) + "]");
    }
  }

 private:
  void check(const Value& rule, const Value& value, const std::string& path) {
    const auto parsed = cel::parse(text(rule, {"rule"}));
    if (parsed && cel::mentions(*parsed, "oldSelf")) return;
    const auto outcome = parsed ? cel::evaluate(*parsed, {.name = "self", .value = &value})
                                : runtime::Result<Value>(std::unexpected(parsed.error()));
    if (outcome && outcome->is_bool() && outcome->get_bool()) return;
    std::string field = path + std::string(text(rule, {"fieldPath"}));
    if (field.starts_with(".")) field.erase(0, 1);
    std::string message(text(rule, {"message"}));
    if (message.empty()) message = "failed rule: " + std::string(text(rule, {"rule"}));
    if (!outcome) message += " (the rule cannot be evaluated: " + outcome.error().message + ")";
    causes_.push_back({.reason = "FieldValueInvalid", .message = std::move(message), .field = std::move(field)});
  }

  std::vector<Cause>& causes_;
};

}  // namespace

std::vector<Cause> rule_causes(const Value& schema, const Value& object) {
  std::vector<Cause> causes;
  Rules(causes).look_at(schema, object, {});
  return causes;
}

}  // namespace reprise::simulator
