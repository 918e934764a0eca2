// YAML of the example files as JSON text, typed as YAML's core schema says: quoted is a string.
#pragma once

#include <json/value.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <string>
#include <vector>

#include "runtime/kube/internal/tree.h"

namespace reprise::kube::internal {

inline Json::Value tree_of(const YAML::Node& node) {
  if (node.IsMap()) {
    Json::Value tree(Json::objectValue);
    for (const auto& entry : node) tree[entry.first.Scalar()] = tree_of(entry.second);
    return tree;
  }
  if (node.IsSequence()) {
    Json::Value tree(Json::arrayValue);
    for (const auto& item : node) tree.append(tree_of(item));
    return tree;
  }
  if (node.IsNull()) return {};
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;
  if (text == "true" || text == "false") return text == "true";
  if (!text.empty() && text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == std::string::npos &&
      text != "-") {
    return static_cast<Json::Int64>(std::stoll(text));
  }
  return text;
}

inline std::vector<Json::Value> documents_of(const std::string& path) {
  std::vector<Json::Value> out;
  for (const YAML::Node& document : YAML::LoadAllFromFile(path)) out.push_back(tree_of(document));
  return out;
}

}  // namespace reprise::kube::internal
