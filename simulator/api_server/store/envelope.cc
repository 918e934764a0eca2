#include "simulator/api_server/store/envelope.h"

#include <boost/json/serialize.hpp>
#include <utility>

namespace reprise::simulator {

std::string enclosed(JsonObject around, std::string_view member, std::string_view text) {
  constexpr std::string_view last = "null}";
  around[member] = nullptr;
  std::string out = boost::json::serialize(around);
  out.reserve(out.size() + text.size());
  out.resize(out.size() - last.size());
  return out.append(text) += '}';
}

std::string list_of(const ResourceType& type, Shape shape, JsonObject metadata, std::span<const VersionPtr> items) {
  std::string texts = "[";
  for (const VersionPtr& item : items) {
    if (texts.size() > 1) texts += ',';
    append(texts, *item, shape);
  }
  texts += ']';
  return enclosed(JsonObject{{"kind", shape.kind(type) + "List"},
                             {"apiVersion", shape.api_version(type)},
                             {"metadata", std::move(metadata)}},
                  "items", texts);
}

}  // namespace reprise::simulator
