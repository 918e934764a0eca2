#include "agent/formats/layouts/orbax/zarr3_array.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "agent/formats/layouts/orbax/zarr_array.h"
#include "agent/formats/layouts/orbax/zarr_grid.h"
#include "agent/formats/structure/arrays/zstd_frame.h"
#include "agent/formats/structure/json_file.h"
#include "agent/formats/structure/little_endian.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

using Json = boost::json::object;

constexpr std::string_view kArrayHead = "zarr.json";
constexpr std::uint64_t kSumOfIndex = 4, kPlaceInIndex = 16, kLargestIndex = std::uint64_t{1} << 24U;

enum class PieceKind { Unknown, None, Zstd, Shard };

struct Form {
  ZarrPlaces counts;  // pieces along each dimension
  std::string separator;
  PieceKind kind = PieceKind::Unknown;
  std::uint64_t values = 0;  // in a piece, or of inner pieces in a shard
  std::uint64_t value_bytes = 0;
};

// The largest number where they are too many.
std::uint64_t product(const ZarrPlaces& places) {
  std::uint64_t all = 1;
  for (const std::uint64_t each : places)
    if (__builtin_mul_overflow(all, each, &all)) return std::numeric_limits<std::uint64_t>::max();
  return all;
}

// The bytes of a value: "float32" has 4; 0: not known.
std::uint64_t bytes_of_value(std::string_view type) {
  if (type == "bool" || type == "int8" || type == "uint8") return 1;
  constexpr std::uint64_t kBits = 8;
  for (const std::uint64_t bits : {std::uint64_t{16}, std::uint64_t{32}, std::uint64_t{64}}) {
    const std::string number = std::to_string(bits);
    for (const std::string_view kind : {"int", "uint", "float", "bfloat"})
      if (type == std::string(kind) + number) return bits / kBits;
  }
  return 0;
}

const Json* configuration_of(const boost::json::value& codec) {
  return codec.is_object() ? object_of(codec.get_object(), "configuration") : nullptr;
}

bool is_codec(const boost::json::value& codec, std::string_view name) {
  return codec.is_object() && text_of(codec.get_object(), "name") == name;
}

// Describes pieces by the last codec, as the file is laid out.
void describe_pieces(const Json& head, const ZarrPlaces& piece, Form& form) {
  const auto* codecs = array_of(head, "codecs");
  if (codecs == nullptr || codecs->empty()) return;
  const auto& last = codecs->back();
  const std::uint64_t values = product(piece);
  if (is_codec(last, "zstd")) {
    form.kind = PieceKind::Zstd;
  } else if (is_codec(last, "bytes") && codecs->size() == 1) {
    form.value_bytes = bytes_of_value(text_of(head, "data_type").value_or(""));
    form.values = values;
    form.kind = form.value_bytes == 0 ? PieceKind::Unknown : PieceKind::None;
  } else if (const Json* shard = is_codec(last, "sharding_indexed") ? configuration_of(last) : nullptr) {
    const auto inner = zarr_places_in(*shard, "chunk_shape");
    const auto counts = inner ? zarr_counts(piece, *inner) : std::nullopt;
    const std::uint64_t all = counts ? product(*counts) : 0;
    const bool at_end = text_of(*shard, "index_location").value_or("end") == "end";
    const auto* index = array_of(*shard, "index_codecs");
    const bool summed = index != nullptr && index->size() == 2 && is_codec(index->back(), "crc32c");
    if (all == 0 || !at_end || !summed || all > kLargestIndex / kPlaceInIndex) return;
    form.values = all;
    form.kind = PieceKind::Shard;
  }
}

// Empty: its grid is none that is known.
std::optional<Form> form_of(const Json& head) {
  const auto* grid = object_of(head, "chunk_grid");
  const auto* regular =
      grid != nullptr && text_of(*grid, "name") == "regular" ? object_of(*grid, "configuration") : nullptr;
  const auto shape = zarr_places_in(head, "shape");
  const auto piece = regular != nullptr ? zarr_places_in(*regular, "chunk_shape") : std::nullopt;
  const auto counts = shape && piece ? zarr_counts(*shape, *piece) : std::nullopt;
  const auto* keys = object_of(head, "chunk_key_encoding");
  if (!counts || keys == nullptr || text_of(*keys, "name") != "default") return std::nullopt;
  const auto* encoding = object_of(*keys, "configuration");
  const auto separator = encoding != nullptr ? text_of(*encoding, "separator") : std::nullopt;
  Form form{.counts = *counts, .separator = separator.value_or("/")};
  describe_pieces(head, *piece, form);
  return form;
}

// "c/1/0"; of an array without dimensions "c".
std::string key_of_piece(const ZarrPlaces& place, const std::string& separator) {
  std::string name = "c";
  for (const std::uint64_t each : place) name += separator + std::to_string(each);
  return name;
}

Flawed check_shard(const CheckedFile& shard, std::uint64_t inner) {
  constexpr std::uint64_t kEmpty = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t index = inner * kPlaceInIndex + kSumOfIndex;
  if (shard.size < index) return corrupt(shard.name + ": is shorter than the index of a shard");
  const auto text = shard.bytes(shard.size - index, index);
  if (!text) return std::unexpected(text.error());
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> sum;  // CRC-32C
  sum.process_bytes(text->data(), index - kSumOfIndex);
  if (little_endian(*text, index - kSumOfIndex, kSumOfIndex) != sum.checksum())
    return corrupt(shard.name + ": does not end with the index of a shard: it was cut off");
  for (std::uint64_t at = 0; at < inner; ++at) {
    const std::uint64_t offset = little_endian(*text, at * kPlaceInIndex, 8);
    const std::uint64_t length = little_endian(*text, at * kPlaceInIndex + 8, 8);
    if (offset == kEmpty && length == kEmpty) continue;
    if (offset > shard.size - index || length > shard.size - index - offset)
      return corrupt(shard.name + ": its index names values that are not in it: it was cut off");
  }
  return std::nullopt;
}

Flawed check_zarr3_piece(const CheckedFile& piece, const Form& form) {
  switch (form.kind) {
    case PieceKind::Zstd:
      return check_zstd_frame(piece);
    case PieceKind::Shard:
      return check_shard(piece, form.values);
    case PieceKind::None:
      if (piece.size / form.value_bytes != form.values || piece.size % form.value_bytes != 0)
        return corrupt(piece.name + ": does not have the bytes of a piece");
      break;
    case PieceKind::Unknown:
      break;
  }
  // A piece that may not be read is found now, and not by the trainer.
  const auto first = piece.bytes(0, 1);
  if (!first) return std::unexpected(first.error());
  return std::nullopt;
}

// Pieces of one directory come one after the other: it is listed once.
class Pieces {
 public:
  explicit Pieces(const CheckpointContents& array) : array_(array) {}

  Flawed check(const std::string& name, const Form& form, PassedFiles& passed) {
    const std::size_t slash = name.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : name.substr(0, slash);
    const CheckpointContents* holder = &array_;
    if (!folder.empty()) {
      if (!inside_ || folder_ != folder) {
        auto listed = array_.inside(folder);
        if (!listed && listed.error().error_class != runtime::ErrorClass::NotFound)
          return std::unexpected(listed.error());
        if (!listed) return incomplete(array_.below + name + ": is not there");
        inside_.emplace(*std::move(listed));
        folder_ = folder;
      }
      holder = &*inside_;
    }
    const std::string last = folder.empty() ? name : name.substr(slash + 1);
    if (auto flaw = missing(*holder, last)) return flaw;
    const CheckedFile piece = holder->checked(last);
    const FileInfo& info = *holder->file(last);
    if (passed.has(piece.path, info)) return std::nullopt;
    auto flaw = check_zarr3_piece(piece, form);
    if (flaw && !*flaw) passed.add(piece.path, info);
    return flaw;
  }

 private:
  const CheckpointContents& array_;
  std::optional<CheckpointContents> inside_;
  std::string folder_;
};

}  // namespace

Flawed check_zarr3_array(const CheckpointContents& array, PassedFiles& passed) {
  const auto head = read_json(array.checked(kArrayHead));
  if (!head) return std::unexpected(head.error());
  if (head->flaw) return head->flaw;
  const auto form = form_of(head->object);
  if (!form || std::ranges::find(form->counts, std::uint64_t{0}) != form->counts.end()) return std::nullopt;
  Pieces pieces(array);
  ZarrPlaces place(form->counts.size(), 0);
  for (std::size_t looked_at = 0; looked_at < kMostZarrPieces; ++looked_at) {
    if (auto flaw = pieces.check(key_of_piece(place, form->separator), *form, passed); !flaw || *flaw) return flaw;
    if (!next_zarr_place(place, form->counts)) break;
  }
  return std::nullopt;
}

}  // namespace reprise::agent
