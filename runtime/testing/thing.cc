#include "runtime/testing/thing.h"

#include "runtime/kube/internal/wire_for_tests.h"
#include "runtime/kube/protobuf/protobuf.h"

namespace reprise::runtime::testing {

std::string thing_json(const std::string& name, int version, const std::string& more) {
  return R"({"metadata":{"namespace":"n","name":")" + name + R"(","uid":"u-)" + name + R"(","resourceVersion":")" +
         std::to_string(version) + R"("})" + more + "}";
}

std::string thing_wire(const std::string& name, int version, const std::string& uid, const std::string& more) {
  kube::internal::WireWriter meta;
  meta.bytes(1, name).bytes(2, "").bytes(3, "n").bytes(5, uid).bytes(6, std::to_string(version)).number(7, 0);
  return kube::internal::WireWriter().message(1, meta).raw(more).str();
}

}  // namespace reprise::runtime::testing

namespace reprise::kube {

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

std::expected<runtime::testing::WireThing, DecodeError> KindOf<runtime::testing::WireThing>::decode(
    std::string_view json) {
  auto thing = KindOf<runtime::testing::Thing>::decode(json);
  if (!thing) return std::unexpected(thing.error());
  return runtime::testing::WireThing{std::move(thing->meta)};
}

std::expected<runtime::testing::WireThing, DecodeError> KindOf<runtime::testing::WireThing>::decode_protobuf(
    std::string_view bytes) {
  return protobuf::decode<runtime::testing::WireThing>(
      bytes, [](protobuf::Message& object, runtime::testing::WireThing& thing) {
        std::string color;
        while (object.next()) {
          if (object.field() == 1) protobuf::read(object, thing.meta);
          if (object.field() == 2) object.text(color);
        }
        thing.meta.labels.emplace("color", std::move(color));
      });
}

}  // namespace reprise::kube
