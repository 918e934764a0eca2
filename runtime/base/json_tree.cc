#include "runtime/base/json_tree.h"

#include <json/value.h>
#include <json/writer.h>

#include <string_view>

#include "runtime/base/json_text.h"

namespace reprise::runtime {
namespace {

void append(std::string& out, const Json::Value& tree);

void append_members(std::string& out, const Json::Value& object) {
  out += '{';
  for (auto each = object.begin(); each != object.end(); ++each) {
    if (each != object.begin()) out += ',';
    const char* end = nullptr;
    const char* const name = each.memberName(&end);
    append_json_string(out, std::string_view(name, end));
    out += ':';
    append(out, *each);
  }
  out += '}';
}

void append_elements(std::string& out, const Json::Value& array) {
  out += '[';
  for (auto each = array.begin(); each != array.end(); ++each) {
    if (each != array.begin()) out += ',';
    append(out, *each);
  }
  out += ']';
}

void append_text(std::string& out, const Json::Value& text) {
  const char* begin = nullptr;
  const char* end = nullptr;
  text.getString(&begin, &end);
  append_json_string(out, std::string_view(begin, end));
}

void append(std::string& out, const Json::Value& tree) {
  switch (tree.type()) {
    case Json::nullValue:
      out += "null";
      return;
    case Json::intValue:
      out += std::to_string(tree.asLargestInt());
      return;
    case Json::uintValue:
      out += std::to_string(tree.asLargestUInt());
      return;
    case Json::realValue:
      out += Json::valueToString(tree.asDouble());
      return;
    case Json::booleanValue:
      out += tree.asBool() ? "true" : "false";
      return;
    case Json::stringValue:
      return append_text(out, tree);
    case Json::arrayValue:
      return append_elements(out, tree);
    case Json::objectValue:
      return append_members(out, tree);
  }
}

}  // namespace

std::string compact_json(const Json::Value& tree) {
  std::string out;
  append(out, tree);
  return out;
}

}  // namespace reprise::runtime
