// How much room the volume has, as records and reports have it.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string_view>

#include "protocol/reported_room.h"

namespace reprise::agent {

[[nodiscard]] boost::json::object encode_room(const protocol::ReportedRoom& room);
// The room in the member `key`.
[[nodiscard]] std::optional<protocol::ReportedRoom> decode_room(const boost::json::object& in, std::string_view key);

}  // namespace reprise::agent
