#include "agent/formats/layouts/orbax/zarr_array.h"

#include <boost/json/value.hpp>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/formats/layouts/orbax/zarr3_array.h"
#include "agent/formats/layouts/orbax/zarr_grid.h"
#include "agent/formats/structure/arrays/zstd_frame.h"
#include "agent/formats/structure/json_file.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kZarr2 = ".zarray", kZarr3 = "zarr.json";

// How many there are along each dimension; empty: the head does not say.
std::optional<ZarrPlaces> pieces_in(const boost::json::object& head) {
  const auto shape = zarr_places_in(head, "shape"), piece = zarr_places_in(head, "chunks");
  return shape && piece ? zarr_counts(*shape, *piece) : std::nullopt;
}

// "1.0"; of an array without dimensions "0".
std::string name_of_piece(const ZarrPlaces& place, const std::string& separator) {
  std::string name;
  for (const std::uint64_t each : place) name += (name.empty() ? "" : separator) + std::to_string(each);
  return name.empty() ? "0" : name;
}

// The bytes of a value: "<f4" has 4; empty: the type does not say.
std::optional<std::uint64_t> bytes_of(std::string_view type) {
  if (type.size() < 3 || std::string_view("<>|").find(type.front()) == std::string_view::npos) return std::nullopt;
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(type.data() + 2, type.data() + type.size(), bytes);
  return error == std::errc{} && end == type.data() + type.size() ? std::optional(bytes) : std::nullopt;
}

// The bytes of a piece that is not packed; empty: that is not known.
std::optional<std::uint64_t> bytes_of_piece(const boost::json::object& head) {
  const auto* compressor = head.if_contains("compressor");
  const auto* filters = head.if_contains("filters");
  const bool is_plain = compressor != nullptr && compressor->is_null() && (filters == nullptr || filters->is_null());
  const auto piece = zarr_places_in(head, "chunks");
  auto bytes = bytes_of(text_of(head, "dtype").value_or(""));
  if (!is_plain || !piece || !bytes) return std::nullopt;
  for (const std::uint64_t each : *piece)
    if (__builtin_mul_overflow(*bytes, each, &*bytes)) return std::nullopt;
  return bytes;
}

struct Packing {
  bool is_zstd = false;
  std::optional<std::uint64_t> bytes;
};

Flawed check_unread_piece(const CheckedFile& piece, const Packing& packing) {
  if (packing.is_zstd) return check_zstd_frame(piece);
  if (packing.bytes && piece.size != *packing.bytes)
    return corrupt(piece.name + ": does not have the " + std::to_string(*packing.bytes) + " bytes of a piece");
  // A piece that may not be read is found now, and not by the trainer.
  const auto first = piece.bytes(0, 1);
  if (!first) return std::unexpected(first.error());
  return std::nullopt;
}

Flawed check_piece_of_array(const CheckpointContents& array, const std::string& name, const Packing& packing,
                            PassedFiles& passed) {
  if (auto flaw = missing(array, name)) return flaw;
  const CheckedFile piece = array.checked(name);
  const FileInfo& info = *array.file(name);
  if (passed.has(piece.path, info)) return std::nullopt;
  auto flaw = check_unread_piece(piece, packing);
  if (flaw && !*flaw) passed.add(piece.path, info);
  return flaw;
}

bool is_packed_by_zstd(const boost::json::object& head) {
  const auto* compressor = object_of(head, "compressor");
  return compressor != nullptr && text_of(*compressor, "id") == "zstd";
}

}  // namespace

Flawed check_zarr_array(const CheckpointContents& array, PassedFiles& passed) {
  if (array.entries.contains(kZarr3)) return check_zarr3_array(array, passed);
  if (auto flaw = missing(array, kZarr2)) return flaw;
  const auto head = read_json(array.checked(kZarr2));
  if (!head) return std::unexpected(head.error());
  if (head->flaw) return head->flaw;
  const auto counts = pieces_in(head->object);
  if (!counts) return corrupt(array.below + std::string(kZarr2) + ": does not say its shape and its chunks");
  const auto* fill = head->object.if_contains("fill_value");
  const std::string separator = text_of(head->object, "dimension_separator").value_or(".");
  const bool nested = separator == "/", may_lack = fill != nullptr && !fill->is_null();
  for (const std::uint64_t each : *counts)
    if (each == 0) return std::nullopt;
  if (nested || may_lack) return std::nullopt;
  const Packing packing{.is_zstd = is_packed_by_zstd(head->object), .bytes = bytes_of_piece(head->object)};
  ZarrPlaces place(counts->size(), 0);
  for (std::size_t looked_at = 0; looked_at < kMostZarrPieces; ++looked_at) {
    if (auto flaw = check_piece_of_array(array, name_of_piece(place, separator), packing, passed); !flaw || *flaw)
      return flaw;
    if (!next_zarr_place(place, *counts)) break;
  }
  return std::nullopt;
}

}  // namespace reprise::agent
