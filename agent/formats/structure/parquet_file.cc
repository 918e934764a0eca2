#include "agent/formats/structure/parquet_file.h"

#include <cstdint>
#include <string>

#include "agent/formats/structure/little_endian.h"

namespace reprise::agent {
namespace {

// Marks of a file with a description that is encrypted, and without.
constexpr std::string_view kParquet = "PAR1", kParquetEncrypted = "PARE";
constexpr std::size_t kLengthAndMark = 8;

bool is_mark_of_parquet(std::string_view bytes) {
  return bytes == kParquet || bytes == kParquetEncrypted;
}

}  // namespace

bool begins_as_parquet(std::string_view head) {
  return is_mark_of_parquet(head.substr(0, kParquet.size()));
}

Flawed check_parquet(const CheckedFile& file) {
  if (file.size < kParquet.size() + kLengthAndMark) return corrupt(file.name + ": ends within its first bytes");
  const auto end = file.bytes(file.size - kLengthAndMark, kLengthAndMark);
  if (!end) return std::unexpected(end.error());
  if (end->size() < kLengthAndMark) return incomplete(file.name + ": became shorter meanwhile");
  const std::uint64_t length = little_endian(*end, 0, 4);
  const bool is_whole =
      is_mark_of_parquet(std::string_view(*end).substr(4)) && length <= file.size - kParquet.size() - kLengthAndMark;
  return is_whole ? Flawed{std::nullopt} : corrupt(file.name + ": does not end as it begins: it was cut off");
}

}  // namespace reprise::agent
