#include "agent/formats/search/best_checkpoint.h"

#include <string_view>

#include "agent/formats/structure/json_file.h"
#include "agent/formats/structure/torch/saved_object.h"

namespace reprise::agent {
namespace {

using Names = std::set<std::string>;

bool says_best(std::string_view key) {
  return key.contains("best");
}

void add_last_part(std::string_view path, Names& names) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string_view last = path.substr(path.rfind('/') + 1);
  if (!last.empty()) names.emplace(last);
}

runtime::Result<Names> named_in_json(const CheckedFile& file) {
  const auto json = read_json(file);
  if (!json) return std::unexpected(json.error());
  Names names;
  for (const auto& [key, value] : json->object)
    if (says_best(key) && value.is_string()) add_last_part(value.get_string(), names);
  return names;
}

runtime::Result<Names> named_in_pickle(const CheckedFile& file) {
  const auto saved = read_saved_object(file);
  if (!saved) return std::unexpected(saved.error());
  Names names;
  if (!*saved) return names;
  const Pickle& nodes = (*saved)->nodes;
  for (const PickleNode& node : nodes) {
    if (node.kind != PickleNode::Kind::Mapping) continue;
    for (std::size_t at = 0; at + 1 < node.items.size(); at += 2) {
      const PickleNode &key = nodes[node.items[at]], &value = nodes[node.items[at + 1]];
      if (key.kind == PickleNode::Kind::Text && value.kind == PickleNode::Kind::Text && says_best(key.text))
        add_last_part(value.text, names);
    }
  }
  return names;
}

}  // namespace

runtime::Result<Names> best_named_in(const VolumeFiles& files, const VolumeFiles::Path& root,
                                     const Checkpoint& checkpoint) {
  const auto path = root / checkpoint.name;
  const auto itself = files.look(path, Links::Follow);
  if (!itself) return std::unexpected(itself.error());
  if (!*itself) return Names{};
  const bool is_file = (*itself)->kind == FileInfo::Kind::File;
  const auto holder = is_file ? path : path / "trainer_state.json";
  const auto info = is_file ? itself : files.look(holder, Links::Follow);
  if (!info) return std::unexpected(info.error());
  if (!*info || (*info)->kind != FileInfo::Kind::File) return Names{};
  const CheckedFile file{.files = files, .path = holder, .name = holder.filename().string(), .size = (*info)->size};
  return is_file ? named_in_pickle(file) : named_in_json(file);
}

}  // namespace reprise::agent
