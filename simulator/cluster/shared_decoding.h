// One decode of each object for all operator processes of a cluster: their watches bring the same bytes.
#pragma once

#include <string>
#include <vector>

#include "runtime/cache/decoded_objects.h"

namespace reprise::simulator {

// Remembers the last objects, each found again by its whole text.
class SharedDecoding final : public runtime::DecodedObjects {
 public:
  SharedDecoding() : places_(kPlaces) {}

  [[nodiscard]] std::shared_ptr<const void> find(std::type_index type, std::string_view bytes) override;
  void keep(std::type_index type, std::string_view bytes, std::shared_ptr<const void> object) override;

 private:
  // Watches are some seconds late at most, most of the time.
  static constexpr std::size_t kPlaces = 512;
  struct Place {
    std::type_index type = typeid(void);
    std::string bytes;
    std::shared_ptr<const void> object;
  };
  [[nodiscard]] Place& place_of(std::string_view bytes);

  std::vector<Place> places_;
};

}  // namespace reprise::simulator
