#include "agent/formats/layouts/hugging_face/weight_index.h"

#include <boost/json/value.hpp>
#include <set>
#include <string>

#include "agent/formats/structure/json_file.h"

namespace reprise::agent {

Flawed check_weight_index(const CheckpointContents& contents, std::string_view index) {
  const auto read = read_json(contents.checked(index));
  if (!read) return std::unexpected(read.error());
  if (read->flaw) return read->flaw;
  const auto* map = read->object.if_contains("weight_map");
  if (map == nullptr || !map->is_object()) return corrupt(std::string(index) + ": has no weight_map");
  if (map->get_object().empty()) return incomplete(contents.below + std::string(index) + ": weight_map names no file");
  for (const auto& [tensor, file] : map->get_object()) {
    if (!file.is_string()) return corrupt(std::string(index) + ": weight_map names no file for " + std::string(tensor));
    if (auto flaw = missing(contents, std::string_view(file.get_string()))) return flaw;
  }
  return std::nullopt;
}

runtime::Result<std::vector<std::string>> files_in_weight_index(const CheckedFile& index) {
  const auto read = read_json(index);
  if (!read) return std::unexpected(read.error());
  std::set<std::string> files;
  if (const auto* map = read->object.if_contains("weight_map"); map != nullptr && map->is_object())
    for (const auto& [tensor, file] : map->get_object())
      if (file.is_string()) files.emplace(file.get_string());
  return std::vector<std::string>(files.begin(), files.end());
}

}  // namespace reprise::agent
