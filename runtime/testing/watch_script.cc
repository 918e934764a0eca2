#include "runtime/testing/watch_script.h"

#include "runtime/kube/internal/wire_for_tests.h"

namespace reprise::runtime::testing {
namespace {

using kube::internal::wire_envelope;
using kube::internal::WireWriter;

std::string json_object(const ThingSpec& thing) {
  std::string more;
  if (!thing.color.empty()) more += R"(,"color":")" + thing.color + '"';
  if (thing.broken) more += R"(,"broken":1)";
  if (thing.padding > 0) more += R"(,"data":")" + std::string(thing.padding, 'x') + '"';
  std::string object = thing_json(thing.name, thing.version, more);
  if (!thing.uid.empty()) {
    const std::string plain = "u-" + thing.name;
    object.replace(object.find(plain), plain.size(), thing.uid);
  }
  return object;
}

std::string wire_object(const ThingSpec& thing) {
  WireWriter more;
  if (!thing.color.empty()) more.bytes(2, thing.color);
  if (thing.broken) more.number(2, 1);
  if (thing.padding > 0) more.bytes(9, std::string(thing.padding, 'x'));
  return thing_wire(thing.name, thing.version, thing.uid.empty() ? "u-" + thing.name : thing.uid, more.str());
}

std::string wire_event(std::string_view type, std::string_view document) {
  return WireWriter().bytes(1, type).message(2, WireWriter().bytes(1, document)).str();
}

}  // namespace

std::string InJson::framed(std::string_view event) {
  return std::string(event) + "\n";
}

std::string InJson::event(std::string_view type, const ThingSpec& thing) {
  return framed(R"({"type":")" + std::string(type) + R"(","object":)" + json_object(thing) + "}");
}

std::string InJson::bookmark(int version, bool initial_events_end) {
  return framed(R"({"type":"BOOKMARK","object":{"kind":"Thing","metadata":{"resourceVersion":")" +
                std::to_string(version) + "\"" +
                (initial_events_end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") + "}}}");
}

std::string InJson::error(int code, std::string_view reason, std::string_view message, std::string_view cause) {
  return framed(R"({"type":"ERROR","object":)" + status(code, reason, message, cause) + "}");
}

std::string InJson::page(int version, std::string_view continue_token, const ThingSpec& thing) {
  return R"({"kind":"ThingList","metadata":{"resourceVersion":")" + std::to_string(version) + R"(","continue":")" +
         std::string(continue_token) + R"("},"items":[)" + json_object(thing) + "]}";
}

std::string InJson::status(int code, std::string_view reason, std::string_view message, std::string_view cause) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + std::string(message) +
         R"(","reason":")" + std::string(reason) + R"(","details":{"causes":[{"reason":")" + std::string(cause) +
         R"("}]},"code":)" + std::to_string(code) + "}";
}

std::string InProtobuf::framed(std::string_view event) {
  std::string out;
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(event.size() >> shift & 0xFFU);
  return out.append(event);
}

std::string InProtobuf::event(std::string_view type, const ThingSpec& thing) {
  return framed(wire_event(type, wire_envelope("test.dev/v1", "WireThing", wire_object(thing))));
}

std::string InProtobuf::bookmark(int version, bool initial_events_end) {
  WireWriter meta;
  meta.bytes(1, "").bytes(6, std::to_string(version));
  if (initial_events_end) meta.entry(12, "k8s.io/initial-events-end", "true");
  return framed(wire_event("BOOKMARK", wire_envelope("test.dev/v1", "WireThing", WireWriter().message(1, meta).str())));
}

std::string InProtobuf::error(int code, std::string_view reason, std::string_view message, std::string_view cause) {
  return framed(wire_event("ERROR", status(code, reason, message, cause)));
}

std::string InProtobuf::page(int version, std::string_view continue_token, const ThingSpec& thing) {
  WireWriter meta;
  meta.bytes(1, "").bytes(2, std::to_string(version)).bytes(3, continue_token);
  return wire_envelope("test.dev/v1", "WireThingList",
                       WireWriter().message(1, meta).bytes(2, wire_object(thing)).str());
}

std::string InProtobuf::status(int code, std::string_view reason, std::string_view message, std::string_view cause) {
  WireWriter details;
  if (!cause.empty()) details.message(4, WireWriter().bytes(1, cause));
  WireWriter body;
  body.bytes(2, "Failure").bytes(3, message).bytes(4, reason).message(5, details).number(6, code);
  return wire_envelope("v1", "Status", body.str());
}

}  // namespace reprise::runtime::testing
