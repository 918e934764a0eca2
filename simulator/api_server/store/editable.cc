#include "simulator/api_server/store/editable.h"

#include <boost/json/monotonic_resource.hpp>

namespace reprise::simulator {

boost::json::storage_ptr new_arena() {
  constexpr std::size_t first_block = 4096;
  return boost::json::make_shared_resource<boost::json::monotonic_resource>(first_block);
}

Value editable_copy(const Value& object) {
  return Value(object, new_arena());
}

}  // namespace reprise::simulator
