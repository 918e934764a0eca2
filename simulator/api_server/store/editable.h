// Values that are about to become a version of an object.
#pragma once

#include <boost/json/storage_ptr.hpp>

#include "simulator/base/json.h"

namespace reprise::simulator {

// Memory that is given back all at once, with the last value that lies in it: an object is hundreds of small pieces
// that live and die together.
[[nodiscard]] boost::json::storage_ptr new_arena();
// A copy in an arena of its own. Moving keeps it there.
[[nodiscard]] Value editable_copy(const Value& object);

}  // namespace reprise::simulator
