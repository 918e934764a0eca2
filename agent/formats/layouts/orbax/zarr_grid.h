// The grid by which zarr cuts an array into pieces, of either version. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace reprise::agent {

// A number for each dimension: lengths of an array or a piece, counts of pieces, or where a piece lies among them.
using ZarrPlaces = std::vector<std::uint64_t>;

// Empty: that key holds no list of numbers from 0 on.
[[nodiscard]] std::optional<ZarrPlaces> zarr_places_in(const boost::json::object& object, std::string_view key);
// How many pieces of that shape cover the array; empty: the two do not fit.
[[nodiscard]] std::optional<ZarrPlaces> zarr_counts(const ZarrPlaces& array, const ZarrPlaces& piece);
// Goes on to the next place in order; false behind the last.
[[nodiscard]] bool next_zarr_place(ZarrPlaces& place, const ZarrPlaces& counts);

}  // namespace reprise::agent
