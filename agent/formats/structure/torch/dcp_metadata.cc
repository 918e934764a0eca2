#include "agent/formats/structure/torch/dcp_metadata.h"

#include <algorithm>
#include <limits>

#include "agent/formats/structure/torch/pickle.h"

namespace reprise::agent {
namespace {

// Classes in which torch's FileSystemWriter keeps each piece.
constexpr std::string_view kPieceClass = "_StorageInfo", kMetadataClass = "Metadata";

bool is_a(const Pickle& pickle, const PickleNode& node, std::string_view name) {
  return node.kind == PickleNode::Kind::Object && !node.items.empty() &&
         pickle[node.items.front()].kind == PickleNode::Kind::Class && pickle[node.items.front()].text == name;
}

}  // namespace

std::optional<StoredFiles> files_in_metadata(std::string_view text) {
  const auto pickle = read_pickle(text);
  if (!pickle) return std::nullopt;
  if (std::ranges::none_of(*pickle, [&](const PickleNode& node) { return is_a(*pickle, node, kMetadataClass); }))
    return std::nullopt;
  StoredFiles stored;
  for (const PickleNode& node : *pickle) {
    if (!is_a(*pickle, node, kPieceClass)) continue;
    if (!node.state) return std::nullopt;
    const PickleNode* file = member(*pickle, *node.state, "relative_path");
    const auto offset = number_in(*pickle, *node.state, "offset"), length = number_in(*pickle, *node.state, "length");
    if (file == nullptr || file->kind != PickleNode::Kind::Text || !offset || !length) return std::nullopt;
    if (*offset > std::numeric_limits<std::int64_t>::max() - *length) return std::nullopt;
    stored[std::string(file->text)].push_back(
        {.offset = static_cast<std::uint64_t>(*offset), .length = static_cast<std::uint64_t>(*length)});
  }
  for (auto& [file, pieces] : stored) std::ranges::sort(pieces);
  return stored;
}

}  // namespace reprise::agent
