#include "agent/formats/structure/arrays/zstd_frame.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/formats/structure/little_endian.h"

namespace reprise::agent {
namespace {

constexpr std::uint64_t kFrameMagic = 0xFD2FB528;
constexpr std::size_t kMagicAndDescriptor = 5, kBlockHead = 3, kFrameSum = 4;

struct FrameHead {
  std::uint64_t length = 0;
  bool has_sum = false;
};

std::optional<FrameHead> head_of(std::string_view begin) {
  if (begin.size() < kMagicAndDescriptor || little_endian(begin, 0, 4) != kFrameMagic) return std::nullopt;
  constexpr std::array<std::size_t, 4> kDictionary{0, 1, 2, 4}, kContent{0, 2, 4, 8};
  const auto descriptor = static_cast<unsigned char>(begin[4]);
  const bool single_segment = (descriptor & 0x20U) != 0;
  const std::size_t content = descriptor >> 6U;
  const std::size_t content_size = content == 0 && single_segment ? 1 : kContent.at(content);
  return FrameHead{
      .length = kMagicAndDescriptor + (single_segment ? 0 : 1) + kDictionary.at(descriptor & 3U) + content_size,
      .has_sum = (descriptor & 4U) != 0};
}

Flawed does_not_end(const CheckedFile& file) {
  return corrupt(file.name + ": does not end where its data does");
}

}  // namespace

Flawed check_zstd_frame(const CheckedFile& file) {
  const auto begin = file.bytes(0, kMagicAndDescriptor);
  if (!begin) return std::unexpected(begin.error());
  const auto head = head_of(*begin);
  if (!head) return corrupt(file.name + ": does not begin as its metadata says");
  constexpr std::uint64_t kRepeated = 1;
  std::uint64_t at = head->length;
  for (int blocks = 0; blocks < kMostZstdBlocks; ++blocks) {
    if (at + kBlockHead > file.size) return does_not_end(file);
    const auto bytes = file.bytes(at, kBlockHead);
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->size() < kBlockHead) return does_not_end(file);
    const std::uint64_t block = little_endian(*bytes, 0, kBlockHead);
    at += kBlockHead + ((block >> 1U & 3U) == kRepeated ? 1 : block >> 3U);
    if ((block & 1U) == 0) continue;
    return at + (head->has_sum ? kFrameSum : 0) == file.size ? Flawed{std::nullopt} : does_not_end(file);
  }
  return std::nullopt;
}

}  // namespace reprise::agent
