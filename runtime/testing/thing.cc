#include "runtime/testing/thing.h"

namespace reprise::runtime::testing {

std::string thing_json(const std::string& name, int version, const std::string& more) {
  return R"({"metadata":{"namespace":"n","name":")" + name + R"(","uid":"u-)" + name + R"(","resourceVersion":")" +
         std::to_string(version) + R"("})" + more + "}";
}

}  // namespace reprise::runtime::testing

namespace reprise::api {

std::expected<runtime::testing::Thing, DecodeError> KindOf<runtime::testing::Thing>::decode(std::string_view json) {
  const auto text = [json](std::string_view field) {
    const std::string mark = "\"" + std::string(field) + "\":\"";
    const std::size_t at = json.find(mark);
    if (at == std::string_view::npos) return std::string();
    const std::size_t begin = at + mark.size();
    return std::string(json.substr(begin, json.find('"', begin) - begin));
  };
  if (json.find("\"broken\"") != std::string_view::npos) return std::unexpected(DecodeError{"spec", "is broken"});
  runtime::testing::Thing thing;
  thing.meta.namespace_ = text("namespace");
  thing.meta.name = text("name");
  thing.meta.uid = text("uid");
  thing.meta.resource_version = text("resourceVersion");
  thing.meta.labels.emplace("color", text("color"));
  return thing;
}

}  // namespace reprise::api
