// The key-value store in which Orbax keeps arrays (OCDBT, of tensorstore): what its manifest and the nodes of its tree
// say about where the values lie. By "Storage format" in tensorstore's documentation of the driver `ocdbt`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/structure/arrays/ocdbt_record.h"

namespace reprise::agent {

struct OcdbtFile {
  std::string path;        // below the store: of names alone, none of them ".."
  std::size_t shared = 0;  // bytes of that path that precede the paths in a node that lies there
};

struct OcdbtPiece {
  std::size_t file = 0;  // its place among the files of the record that refers to it
  std::uint64_t offset = 0, length = 0;
  [[nodiscard]] std::uint64_t end() const { return offset + length; }  // no larger than a number can be
};

struct OcdbtNode {
  std::uint8_t height = 0;
  std::size_t text_bytes = 0;  // bytes that it had unpacked
  std::vector<OcdbtFile> files;
  std::vector<OcdbtPiece> children;  // nodes, one lower each; of a leaf none
  std::vector<OcdbtPiece> values;    // a leaf's values that do not stand in the node itself
};

struct OcdbtRoot {
  std::uint8_t height = 0;
  std::vector<OcdbtFile> files;
  std::optional<OcdbtPiece> node;  // empty: the store is empty
};

// The root of the newest version.
[[nodiscard]] std::expected<OcdbtRoot, OcdbtFlaw> read_ocdbt_manifest(std::string_view encoded);
// `above`: what precedes the paths in the node.
[[nodiscard]] std::expected<OcdbtNode, OcdbtFlaw> read_ocdbt_node(std::string_view encoded, std::string_view above);

}  // namespace reprise::agent
