#include "agent/formats/layouts/orbax/ocdbt_store.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "agent/formats/structure/arrays/ocdbt.h"

namespace reprise::agent {
namespace {

Flawed said_of(OcdbtFlaw flaw, const std::string& record) {
  switch (flaw) {
    case OcdbtFlaw::CutOff:
      return corrupt(record + ": does not have the length and the sum that it says");
    case OcdbtFlaw::Unreadable:
      return corrupt(record + ": cannot be read");
    case OcdbtFlaw::NotFollowed:
      break;
  }
  return std::nullopt;
}

class Walk {
 public:
  explicit Walk(const CheckpointContents& store) : store_(store) {}

  Flawed from(const OcdbtRoot& root) {
    if (!root.node) return std::nullopt;
    add(root.files, *root.node, root.height);
    while (!nodes_.empty()) {
      const Node node = std::move(nodes_.back());
      nodes_.pop_back();
      if (auto flaw = visit(node); !flaw || *flaw) return flaw;
    }
    return std::nullopt;
  }

 private:
  struct Node {
    OcdbtFile file;
    OcdbtPiece piece;
    std::uint8_t height = 0;
  };

  // Many may refer to one place, which is visited once.
  void add(const std::vector<OcdbtFile>& files, const OcdbtPiece& piece, std::uint8_t height) {
    if (added_.size() == kMostOcdbtNodes) return;
    const OcdbtFile& file = files[piece.file];
    if (added_.emplace(file.path, piece.offset, piece.length, height).second) nodes_.push_back({file, piece, height});
  }

  [[nodiscard]] std::string name_of(const OcdbtFile& file) const { return store_.below + file.path; }

  Flawed visit(const Node& node) {
    if (auto flaw = reaches(node.file, node.piece.end()); !flaw || *flaw) return flaw;
    if (node.piece.length > kLargestOcdbtText || read_ > kMostOcdbtBytes) return std::nullopt;
    const auto bytes = store_.files.read_range(store_.path / node.file.path, node.piece.offset, node.piece.length);
    if (!bytes) return std::unexpected(bytes.error());
    const auto read = read_ocdbt_node(*bytes, std::string_view(node.file.path).substr(0, node.file.shared));
    if (!read) return said_of(read.error(), name_of(node.file));
    read_ += read->text_bytes;
    if (read->height != node.height)
      return corrupt(name_of(node.file) + ": its node is of another height than the one above says");
    for (const OcdbtPiece& child : read->children) add(read->files, child, read->height - 1);
    for (const OcdbtPiece& value : read->values)
      if (auto flaw = reaches(read->files[value.file], value.end()); !flaw || *flaw) return flaw;
    return std::nullopt;
  }

  Flawed reaches(const OcdbtFile& file, std::uint64_t end) {
    auto known = sizes_.find(file.path);
    if (known == sizes_.end()) {
      const auto info = store_.files.look(store_.path / file.path, Links::Follow);
      if (!info) return std::unexpected(info.error());
      if (!*info || (*info)->kind != FileInfo::Kind::File) return incomplete(name_of(file) + ": is not there");
      // A file that may not be read is found now, and not by the trainer.
      if (auto first = store_.files.read_range(store_.path / file.path, 0, 1); !first)
        return std::unexpected(first.error());
      known = sizes_.emplace(file.path, (*info)->size).first;
    }
    if (known->second >= end) return std::nullopt;
    return corrupt(name_of(file) + ": ends at " + std::to_string(known->second) + ", and what the store has there at " +
                   std::to_string(end));
  }

  const CheckpointContents& store_;
  std::vector<Node> nodes_;
  std::set<std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint8_t>> added_;
  std::map<std::string, std::uint64_t, std::less<>> sizes_;
  std::uint64_t read_ = 0;
};

}  // namespace

Flawed check_ocdbt_store(const CheckpointContents& store) {
  if (auto flaw = missing(store, kOcdbtManifest)) return flaw;
  const CheckedFile manifest = store.checked(kOcdbtManifest);
  if (manifest.size > kLargestOcdbtText) return said_of(OcdbtFlaw::Unreadable, manifest.name);
  const auto bytes = manifest.bytes(0, manifest.size);
  if (!bytes) return std::unexpected(bytes.error());
  const auto root = read_ocdbt_manifest(*bytes);
  if (!root) return said_of(root.error(), manifest.name);
  return Walk(store).from(*root);
}

}  // namespace reprise::agent
