#include "simulator/cluster/shared_decoding.h"

#include <functional>
#include <utility>

namespace reprise::simulator {

SharedDecoding::Place& SharedDecoding::place_of(std::string_view bytes) {
  return places_[std::hash<std::string_view>()(bytes) % kPlaces];
}

std::shared_ptr<const void> SharedDecoding::find(std::type_index type, std::string_view bytes) {
  const Place& place = place_of(bytes);
  return place.type == type && place.bytes == bytes ? place.object : nullptr;
}

void SharedDecoding::keep(std::type_index type, std::string_view bytes, std::shared_ptr<const void> object) {
  Place& place = place_of(bytes);
  place.type = type;
  place.bytes.assign(bytes);
  place.object = std::move(object);
}

}  // namespace reprise::simulator
