#include "simulator/api_server/patch/yaml.h"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <string>
#include <utility>

#include "runtime/base/yaml_check.h"

namespace reprise::simulator {
namespace {

template <class Number>
bool read_number(const std::string& text, Value& value) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  value = number;
  return true;
}

Value scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  const bool quoted = node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str";
  if (quoted) return Value(text);
  if (text.empty() || text == "~" || text == "null") return nullptr;
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  Value value;
  if (read_number<std::int64_t>(text, value)) return value;
  const bool like_number = text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  if (like_number && read_number<double>(text, value)) return value;
  return Value(text);
}

Value converted(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null:
      return nullptr;
    case YAML::NodeType::Scalar:
      return scalar(node);
    case YAML::NodeType::Sequence: {
      JsonArray elements;
      for (const auto& element : node) elements.push_back(converted(element));
      return elements;
    }
    case YAML::NodeType::Map: {
      JsonObject members;
      for (const auto& member : node) members[member.first.Scalar()] = converted(member.second);
      return members;
    }
  }
  return nullptr;
}

}  // namespace

runtime::Result<Value> read_yaml(std::string_view text, int first_line) {
  if (auto checked = runtime::check_yaml(text, first_line); !checked)
    return std::unexpected(std::move(checked).error());
  try {
    return converted(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& wrong) {
    return runtime::fail(runtime::ErrorClass::Invalid, std::string("the YAML cannot be read: ") + wrong.what());
  }
}

}  // namespace reprise::simulator
