#include "simulator/api_server/schema/custom_resource.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "simulator/api_server/patch/yaml.h"
#include "simulator/api_server/schema/schema.h"
#include "simulator/api_server/store/equality.h"

namespace reprise::simulator {
namespace {

class CustomRules final : public KindRules {
 public:
  CustomRules(ResourceType type, Schema schema, std::vector<std::string> selectable)
      : KindRules(std::move(type)), schema_(std::move(schema)), selectable_(std::move(selectable)) {}

  Answer<void> prepare_new(const Surroundings&, Value& object) const override {
    if (type().status_subresource) object.get_object().erase("status");
    return fit(object, nullptr);
  }

  Answer<void> prepare_change(const Surroundings&, const Value& before, Value& after, Part part) const override {
    keep_other_parts(before, after, part);
    // Only the status is written through /status.
    if (Value& metadata = after.get_object()["metadata"];
        part == Part::Status && !equal(metadata, before.at("metadata")))
      metadata = before.at("metadata");
    return fit(after, &before);
  }

  [[nodiscard]] bool is_custom() const override { return true; }

  [[nodiscard]] bool selectable(std::string_view field) const override {
    return KindRules::selectable(field) || std::ranges::find(selectable_, field) != selectable_.end();
  }
  [[nodiscard]] std::string not_selectable(std::string_view field) const override {
    return "field label not supported: " + std::string(field);
  }

 private:
  Answer<void> fit(Value& object, const Value* before) const {
    prune(schema_, object, before);
    set_defaults(schema_, object, before);
    if (auto wrong = validate(schema_, object, before); !wrong.empty())
      return reject(invalid(type(), name_of(object), std::move(wrong)));
    return {};
  }

  Schema schema_;
  std::vector<std::string> selectable_;
};

const Value* stored_version(const Value& crd) {
  for (const Value& version : array(crd, {"spec", "versions"})) {
    if (flag(version, {"storage"})) return &version;
  }
  return nullptr;
}

std::vector<std::string> selectable_fields(const Value& version) {
  std::vector<std::string> fields;
  for (const Value& field : array(version, {"selectableFields"})) {
    const std::string_view path = text(field, {"jsonPath"});
    fields.emplace_back(path.starts_with('.') ? path.substr(1) : path);
  }
  return fields;
}

}  // namespace

std::unique_ptr<KindRules> custom_rules_without_schema(ResourceType type) {
  Schema any;
  any.preserve_unknown = true;
  return std::make_unique<CustomRules>(std::move(type), std::move(any), std::vector<std::string>{});
}

runtime::Result<std::shared_ptr<const KindRules>> read_custom_resource(std::string_view crd_yaml) {
  const auto crd = read_yaml(crd_yaml);
  if (!crd) return std::unexpected(crd.error());
  const Value* version = stored_version(*crd);
  if (text(*crd, {"kind"}) != "CustomResourceDefinition" || version == nullptr)
    return runtime::fail(runtime::ErrorClass::Invalid, "not a CustomResourceDefinition with a stored version");
  const Value* schema = find(*version, {"schema", "openAPIV3Schema"});
  if (schema == nullptr) return runtime::fail(runtime::ErrorClass::Invalid, "the stored version has no schema");
  ResourceType type{.group = std::string(text(*crd, {"spec", "group"})),
                    .version = std::string(text(*version, {"name"})),
                    .plural = std::string(text(*crd, {"spec", "names", "plural"})),
                    .kind = std::string(text(*crd, {"spec", "names", "kind"})),
                    .namespaced = text(*crd, {"spec", "scope"}) == "Namespaced",
                    .status_subresource = find(*version, {"subresources", "status"}) != nullptr,
                    .generation = true};
  auto read = read_schema(*schema);
  if (!read) return std::unexpected(std::move(read).error());
  return std::make_shared<const CustomRules>(std::move(type), *std::move(read), selectable_fields(*version));
}

}  // namespace reprise::simulator
