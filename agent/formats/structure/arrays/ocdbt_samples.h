// Records of an OCDBT store (ocdbt.h), made of bytes and not compressed: for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/structure/sample_files.h"

namespace reprise::agent::samples {

inline constexpr std::string_view kOcdbtManifestMagic{"\x0c\xdb\x3a\x2a", 4}, kOcdbtNodeMagic{"\x0c\xdb\x20\xde", 4};

inline std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFF;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1U ^ ((sum & 1U) != 0 ? 0x82F63B78U : 0U);
  }
  return sum ^ 0xFFFFFFFFU;
}

inline std::string varint(std::uint64_t number) {
  std::string text;
  for (; number > 0x7F; number >>= 7U) text += static_cast<char>((number & 0x7FU) | 0x80U);
  return text + static_cast<char>(number);
}

// `packed`: 0 as it is, 1 with zstd.
inline std::string ocdbt_record(std::string_view magic, std::string_view body, std::uint64_t packed = 0) {
  const std::string head = varint(0) + varint(packed);
  const std::string text =
      std::string(magic) + little(magic.size() + 8 + head.size() + body.size() + 4, 8) + head + std::string(body);
  return text + little(crc32c(text), 4);
}

// One name; `shared`: how much of it precedes the names in a node that lies there.
inline std::string ocdbt_file(std::string_view path, std::size_t shared = 0) {
  return varint(1) + varint(path.size()) + varint(shared) + std::string(path);
}

struct OcdbtPlace {
  std::string file;
  std::uint64_t offset = 0, length = 0;
  std::size_t shared = 0;
};

// `kind`: 0 of a store with one manifest.
inline std::string ocdbt_manifest(const OcdbtPlace& root, std::uint8_t height = 0, std::uint64_t kind = 0) {
  const std::string settings =
      std::string(16, 'u') + varint(kind) + varint(1024) + varint(100'000'000) + "\x04" + varint(1) + little(0, 4);
  const std::string place = varint(0) + varint(root.offset) + varint(root.length);
  return ocdbt_record(kOcdbtManifestMagic, settings + ocdbt_file(root.file, root.shared) + varint(1) + varint(7) +
                                               little(height, 1) + place + varint(1) + varint(1) + varint(1) +
                                               little(1, 8) + varint(0));
}

// A leaf with a value in itself, and another in `value`.
inline std::string ocdbt_leaf(const OcdbtPlace& value) {
  constexpr std::string_view kWithin = "{}";
  const std::string keys = varint(2) + varint(1) + varint(2) + varint(1) + "a0" + "1";
  const std::string lengths = varint(kWithin.size()) + varint(value.length), kinds = varint(0) + varint(1);
  return ocdbt_record(kOcdbtNodeMagic, little(0, 1) + ocdbt_file(value.file) + keys + lengths + kinds + varint(0) +
                                           varint(value.offset) + std::string(kWithin));
}

// Above nodes that lie in one file: where each begins, and its length.
inline std::string ocdbt_interior_of(const std::string& file, std::size_t shared,
                                     const std::vector<std::pair<std::uint64_t, std::uint64_t>>& children,
                                     std::uint8_t height) {
  const std::size_t many = children.size();
  const auto column = [many](std::uint64_t number) {
    std::string text;
    for (std::size_t at = 0; at < many; ++at) text += varint(number);
    return text;
  };
  std::string prefixes, offsets, lengths;
  for (std::size_t at = 1; at < many; ++at) prefixes += varint(0);
  for (const auto& [offset, length] : children) {
    offsets += varint(offset);
    lengths += varint(length);
  }
  return ocdbt_record(kOcdbtNodeMagic, little(height, 1) + ocdbt_file(file, shared) + varint(many) + prefixes +
                                           column(1) + column(0) + std::string(many, 'a') + column(0) + offsets +
                                           lengths + column(1) + column(1) + column(1));
}

// Above one node.
inline std::string ocdbt_interior(const OcdbtPlace& child, std::uint8_t height = 1) {
  return ocdbt_interior_of(child.file, child.shared, {{child.offset, child.length}}, height);
}

}  // namespace reprise::agent::samples
