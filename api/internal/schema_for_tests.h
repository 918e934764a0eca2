// The openAPI schema that a type's description (runtime/kube/described.h) amounts to, and what tells it apart from the
// schema of a CRD.
#pragma once

#include <json/value.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/internal/enum_names.h"
#include "runtime/kube/described.h"
#include "runtime/kube/internal/meta_fields.h"
#include "runtime/kube/memory/rare.h"

namespace reprise::api::internal {

class SchemaOf {
 public:
  template <class T>
  [[nodiscard]] static Json::Value type() {
    SchemaOf schema;
    const T value{};
    T::fields(value, schema);
    return std::move(schema.schema_);
  }

  template <class T>
  void operator()(std::string_view name, const T& member) {
    put(name, of(member));
  }
  void always(std::string_view name, const auto& member) { (*this)(name, member); }
  void unless_zero(std::string_view name, const auto& member) { (*this)(name, member); }
  void quantities(std::string_view name, const auto& member) { (*this)(name, member); }
  void verbatim(std::string_view name, const auto&) {
    Json::Value passed_through = scalar("object");
    passed_through["x-verbatim"] = true;
    put(name, std::move(passed_through));
  }
  void peek(std::string_view, std::string_view, const auto&) {}
  void nest(std::string_view name, auto describe) {
    SchemaOf below;
    describe(below);
    put(name, std::move(below.schema_));
  }
  void unmapped(const auto&...) {}

 private:
  static Json::Value scalar(const char* type, const char* format = nullptr) {
    Json::Value schema(Json::objectValue);
    schema["type"] = type;
    if (format != nullptr) schema["format"] = format;
    return schema;
  }
  static Json::Value of(const std::string&) { return scalar("string"); }
  template <std::size_t Bytes>
  static Json::Value of(const kube::BasicText<Bytes>&) {
    return scalar("string");
  }
  static Json::Value of(std::int32_t) { return scalar("integer", "int32"); }
  static Json::Value of(std::int64_t) { return scalar("integer", "int64"); }
  static Json::Value of(bool) { return scalar("boolean"); }
  static Json::Value of(kube::Time) { return scalar("string", "date-time"); }
  static Json::Value of(const kube::StringMap&) {
    Json::Value map = scalar("object");
    map["additionalProperties"] = scalar("string");
    return map;
  }
  template <class E>
  requires std::is_enum_v<E>
  static Json::Value of(E) {
    Json::Value schema = scalar("string");
    for (const auto& name : names_of(E{})) schema["enum"].append(std::string(name.text));
    return schema;
  }
  template <class T>
  static Json::Value list_of() {
    Json::Value list = scalar("array");
    list["items"] = of(T{});
    return list;
  }
  template <class T>
  static Json::Value of(const std::vector<T>&) {
    return list_of<T>();
  }
  template <class T>
  static Json::Value of(const kube::List<T>&) {
    return list_of<T>();
  }
  template <class T>
  static Json::Value of(const std::optional<T>&) {
    return of(T{});
  }
  template <class T>
  static Json::Value of(const kube::Rare<T>&) {
    return of(T{});
  }
  template <kube::Described T>
  static Json::Value of(const T&) {
    return type<T>();
  }

  void put(std::string_view name, Json::Value schema) { schema_["properties"][std::string(name)] = std::move(schema); }
  Json::Value schema_ = scalar("object");
};

// One line for each field in which the description and the CRD's schema disagree. `not_read`: paths of the CRD that the
// operator leaves alone on purpose; one that is described after all, or not there, is a disagreement too.
[[nodiscard]] std::vector<std::string> schema_differences(const Json::Value& described, const Json::Value& crd,
                                                          const std::set<std::string>& not_read);

}  // namespace reprise::api::internal
