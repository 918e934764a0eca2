#include "agent/formats/structure/arrays/ocdbt.h"

#include <algorithm>
#include <limits>

#include "agent/formats/structure/byte_reader.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kManifestMagic{"\x0c\xdb\x3a\x2a", 4}, kNodeMagic{"\x0c\xdb\x20\xde", 4};

// The root of an empty store lies in a file without a name.
bool leads_out(std::string_view path) {
  constexpr std::size_t kLongestPath = 4096;  // longest path of a file
  if (path.empty()) return false;
  if (path.size() > kLongestPath) return true;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (name.empty() || name == "." || name == ".." || name.contains('\0')) return true;
    at = end + 1;
  }
  return false;
}

// Each path is told by how much it shares with the one before; together they take no more than a record may.
std::vector<OcdbtFile> read_files(ByteReader& reader, std::string_view above) {
  const std::size_t many = reader.count();
  if (many == 0) return {};
  std::vector<std::uint64_t> prefixes = reader.varints(many - 1);
  prefixes.insert(prefixes.begin(), 0);
  const auto suffixes = reader.varints(many), bases = reader.varints(many);
  std::vector<OcdbtFile> files;
  std::string path;
  std::size_t taken = 0;
  for (std::size_t at = 0; at < many; ++at) {
    const std::string_view suffix = reader.take(suffixes[at]);
    if (prefixes[at] > path.size()) reader.fail();
    if (reader.at_fault()) return {};
    path.resize(prefixes[at]);
    path += suffix;
    files.push_back({.path = std::string(above) + path, .shared = above.size() + bases[at]});
    taken += files.back().path.size();
    if (bases[at] > path.size() || taken > kLargestOcdbtText || leads_out(files.back().path)) reader.fail();
  }
  return files;
}

std::vector<OcdbtPiece> read_places(ByteReader& reader, const std::vector<OcdbtFile>& files, std::size_t many) {
  const auto ids = reader.varints(many), offsets = reader.varints(many);
  std::vector<OcdbtPiece> pieces;
  for (std::size_t at = 0; at < many && !reader.at_fault(); ++at) {
    if (ids[at] >= files.size()) reader.fail();
    pieces.push_back({.file = ids[at], .offset = offsets[at], .length = 0});
  }
  return pieces;
}

void give_lengths(ByteReader& reader, std::vector<OcdbtPiece>& pieces, const std::vector<std::uint64_t>& lengths) {
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    if (pieces[at].offset > std::numeric_limits<std::uint64_t>::max() - lengths[at]) return reader.fail();
    pieces[at].length = lengths[at];
  }
}

std::vector<OcdbtPiece> read_pieces(ByteReader& reader, const std::vector<OcdbtFile>& files, std::size_t many) {
  std::vector<OcdbtPiece> pieces = read_places(reader, files, many);
  give_lengths(reader, pieces, reader.varints(many));
  return pieces;
}

// Only the lengths of keys matter here, which say where keys end.
void pass_over_keys(ByteReader& reader, std::size_t many, bool interior) {
  if (many == 0) return;
  static_cast<void>(reader.varints(many - 1));  // shared with the key before
  const auto suffixes = reader.varints(many);
  if (interior) static_cast<void>(reader.varints(many));  // shared by the keys below
  for (const std::uint64_t length : suffixes) static_cast<void>(reader.take(length));
}

std::vector<OcdbtPiece> read_values(ByteReader& reader, const std::vector<OcdbtFile>& files, std::size_t many) {
  const auto lengths = reader.varints(many), kinds = reader.varints(many);
  std::vector<std::uint64_t> elsewhere;
  for (std::size_t at = 0; at < many; ++at) {
    if (kinds[at] > 1) reader.fail();
    if (kinds[at] == 1) elsewhere.push_back(lengths[at]);
  }
  std::vector<OcdbtPiece> values = read_places(reader, files, elsewhere.size());
  give_lengths(reader, values, elsewhere);
  for (std::size_t at = 0; at < many; ++at)
    if (kinds[at] == 0) static_cast<void>(reader.take(lengths[at]));
  return values;
}

constexpr std::uint64_t kSingleManifest = 0;
constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();  // the root of an empty store

// Passes over the settings with which the store was made.
std::optional<OcdbtFlaw> pass_over_settings(ByteReader& reader) {
  constexpr std::uint64_t kUuid = 16, kLevel = 4;
  static_cast<void>(reader.take(kUuid));
  if (reader.varint() != kSingleManifest) return OcdbtFlaw::NotFollowed;
  static_cast<void>(reader.varints(2));  // how large a value in a node may be, and a node
  static_cast<void>(reader.byte());      // the arity of the tree of versions
  const std::uint64_t packed = reader.varint();
  if (packed > kOcdbtZstd) return OcdbtFlaw::NotFollowed;
  if (packed == kOcdbtZstd) static_cast<void>(reader.take(kLevel));
  return std::nullopt;
}

}  // namespace

std::expected<OcdbtRoot, OcdbtFlaw> read_ocdbt_manifest(std::string_view encoded) {
  const auto body = unpack_ocdbt(encoded, kManifestMagic);
  if (!body) return std::unexpected(body.error());
  ByteReader reader(*body);
  if (const auto flaw = pass_over_settings(reader)) return std::unexpected(*flaw);
  OcdbtRoot root{.height = 0, .files = read_files(reader, ""), .node = std::nullopt};
  const std::size_t versions = reader.count();
  static_cast<void>(reader.varints(versions));  // their numbers, which rise
  const std::string_view heights = reader.take(versions);
  const auto ids = reader.varints(versions), offsets = reader.varints(versions), lengths = reader.varints(versions);
  if (reader.at_fault() || versions == 0) return std::unexpected(OcdbtFlaw::Unreadable);
  if (offsets.back() == kNowhere && lengths.back() == kNowhere) return root;
  std::vector<OcdbtPiece> newest{{.file = ids.back(), .offset = offsets.back(), .length = 0}};
  give_lengths(reader, newest, {lengths.back()});
  if (reader.at_fault() || ids.back() >= root.files.size()) return std::unexpected(OcdbtFlaw::Unreadable);
  root.height = static_cast<std::uint8_t>(heights.back());
  root.node = newest.front();
  return root;
}

std::expected<OcdbtNode, OcdbtFlaw> read_ocdbt_node(std::string_view encoded, std::string_view above) {
  const auto body = unpack_ocdbt(encoded, kNodeMagic);
  if (!body) return std::unexpected(body.error());
  ByteReader reader(*body);
  OcdbtNode node;
  node.text_bytes = body->size();
  node.height = reader.byte();
  node.files = read_files(reader, above);
  const std::size_t entries = reader.count();
  pass_over_keys(reader, entries, node.height > 0);
  if (node.height > 0)
    node.children = read_pieces(reader, node.files, entries);
  else
    node.values = read_values(reader, node.files, entries);
  if (reader.at_fault()) return std::unexpected(OcdbtFlaw::Unreadable);
  return node;
}

}  // namespace reprise::agent
