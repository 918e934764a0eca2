#include "agent/formats/layouts/orbax/zarr_grid.h"

#include <algorithm>

#include "agent/json/json.h"

namespace reprise::agent {

std::optional<ZarrPlaces> zarr_places_in(const boost::json::object& object, std::string_view key) {
  const auto* array = array_of(object, key);
  if (array == nullptr) return std::nullopt;
  ZarrPlaces places;
  for (const auto& each : *array) {
    if (!each.is_int64() || each.get_int64() < 0) return std::nullopt;
    places.push_back(static_cast<std::uint64_t>(each.get_int64()));
  }
  return places;
}

std::optional<ZarrPlaces> zarr_counts(const ZarrPlaces& array, const ZarrPlaces& piece) {
  if (array.size() != piece.size() || std::ranges::find(piece, std::uint64_t{0}) != piece.end()) return std::nullopt;
  ZarrPlaces counts;
  for (std::size_t at = 0; at < array.size(); ++at)
    counts.push_back(array[at] / piece[at] + (array[at] % piece[at] == 0 ? 0 : 1));
  return counts;
}

bool next_zarr_place(ZarrPlaces& place, const ZarrPlaces& counts) {
  for (std::size_t at = place.size(); at-- > 0;) {
    if (++place[at] < counts[at]) return true;
    place[at] = 0;
  }
  return false;
}

}  // namespace reprise::agent
