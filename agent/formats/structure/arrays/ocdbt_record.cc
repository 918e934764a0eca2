#include "agent/formats/structure/arrays/ocdbt_record.h"

#include <zstd.h>

#include <boost/crc.hpp>
#include <memory>

#include "agent/formats/structure/byte_reader.h"
#include "agent/formats/structure/little_endian.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kHead = 12, kSum = 4;

std::expected<std::string, OcdbtFlaw> unpack(std::string_view packed) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
  if (!stream) return std::unexpected(OcdbtFlaw::NotFollowed);
  std::string text, room(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer from{packed.data(), packed.size(), 0};
  for (std::size_t left = 1; left != 0;) {
    ZSTD_outBuffer into{room.data(), room.size(), 0};
    const std::size_t read = from.pos;
    left = ZSTD_decompressStream(stream.get(), &into, &from);
    const bool stands_still = from.pos == read && into.pos == 0;
    if (ZSTD_isError(left) != 0 || (left != 0 && stands_still)) return std::unexpected(OcdbtFlaw::Unreadable);
    if (text.size() + into.pos > kLargestOcdbtText) return std::unexpected(OcdbtFlaw::NotFollowed);
    text.append(room.data(), into.pos);
  }
  return text;
}

bool has_its_sum(std::string_view encoded) {
  using Crc32c = boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true>;
  Crc32c sum;
  sum.process_bytes(encoded.data(), encoded.size() - kSum);
  return sum.checksum() == little_endian(encoded, encoded.size() - kSum, kSum);
}

}  // namespace

std::expected<std::string, OcdbtFlaw> unpack_ocdbt(std::string_view record, std::string_view magic) {
  if (record.size() < kHead + kSum || !record.starts_with(magic) ||
      little_endian(record, magic.size(), 8) != record.size() || !has_its_sum(record))
    return std::unexpected(OcdbtFlaw::CutOff);
  ByteReader reader(record.substr(kHead, record.size() - kHead - kSum));
  const std::uint64_t version = reader.varint(), packed = reader.varint();
  if (reader.at_fault()) return std::unexpected(OcdbtFlaw::Unreadable);
  if (version != 0 || packed > kOcdbtZstd) return std::unexpected(OcdbtFlaw::NotFollowed);
  return packed == kOcdbtZstd ? unpack(reader.rest()) : std::string(reader.rest());
}

}  // namespace reprise::agent
