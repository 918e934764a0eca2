#include "rehearsal/pods/variables.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <map>

extern char** environ;

namespace reprise::rehearsal {
namespace {

using simulator::find;
using simulator::JsonObject;
using simulator::object;
using simulator::text;
using simulator::Value;

std::string string_at(const JsonObject& map, std::string_view key) {
  const Value* found = map.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

// "metadata.labels['key']" -> "key"
std::string_view subscript(std::string_view path) {
  const auto open = path.find("['");
  const auto close = path.rfind("']");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return path.substr(open + 2, close - open - 2);
}

}  // namespace

const std::string* value_of(const Variables& variables, std::string_view name) {
  const auto found = std::ranges::find(variables, name, &Variables::value_type::first);
  return found == variables.end() ? nullptr : &found->second;
}

void set_variable(Variables& variables, std::string_view name, std::string value) {
  const auto found = std::ranges::find(variables, name, &Variables::value_type::first);
  if (found != variables.end())
    found->second = std::move(value);
  else
    variables.emplace_back(name, std::move(value));
}

Variables own_environment() {
  Variables variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view line(*each);
    const auto equals = line.find('=');
    if (equals != std::string_view::npos)
      set_variable(variables, line.substr(0, equals), std::string(line.substr(equals + 1)));
  }
  return variables;
}

std::string expanded(std::string_view text, const Variables& variables) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    if (text[i + 1] == '$') {
      result += text[++i];
      continue;
    }
    const auto close = text[i + 1] == '(' ? text.find(')', i) : std::string_view::npos;
    const std::string* value =
        close == std::string_view::npos ? nullptr : value_of(variables, text.substr(i + 2, close - i - 2));
    if (value == nullptr) {
      result += text[i];
      continue;
    }
    result += *value;
    i = close;
  }
  return result;
}

std::string pod_field(const Value& pod, std::string_view path) {
  if (path.starts_with("metadata.labels['")) return string_at(object(pod, {"metadata", "labels"}), subscript(path));
  if (path.starts_with("metadata.annotations['"))
    return string_at(object(pod, {"metadata", "annotations"}), subscript(path));
  if (path == "metadata.labels") return downward_map(object(pod, {"metadata", "labels"}));
  if (path == "metadata.annotations") return downward_map(object(pod, {"metadata", "annotations"}));
  // All ranks are on this machine.
  if (path == "status.podIP" || path == "status.hostIP") return "127.0.0.1";
  const auto dot = path.find('.');
  if (dot == std::string_view::npos) return {};
  return std::string(text(pod, {path.substr(0, dot), path.substr(dot + 1)}));
}

Variables container_environment(const Value& pod, const Value& container, const Variables& machine,
                                std::vector<std::string>& missing) {
  Variables variables;
  for (const Value& each : simulator::array(container, {"env"})) {
    const std::string_view name = text(each, {"name"});
    if (const Value* field = find(each, {"valueFrom", "fieldRef"})) {
      set_variable(variables, name, pod_field(pod, text(*field, {"fieldPath"})));
    } else if (find(each, {"valueFrom"}) != nullptr) {
      const std::string* own = value_of(machine, name);
      if (own != nullptr)
        set_variable(variables, name, *own);
      else
        missing.emplace_back(name);
    } else {
      set_variable(variables, name, expanded(text(each, {"value"}), variables));
    }
  }
  return variables;
}

std::string downward_map(const JsonObject& map) {
  std::map<std::string, std::string> sorted;
  for (const auto& [key, value] : map) sorted.emplace(key, boost::json::serialize(value));
  std::string lines;
  for (const auto& [key, value] : sorted) lines += key + "=" + value + "\n";
  return lines;
}

}  // namespace reprise::rehearsal
