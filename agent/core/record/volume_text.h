// Facts about the volume, as records and reports have it.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "protocol/reported_volume.h"

namespace reprise::agent {

// Text that is too long is cut.
[[nodiscard]] boost::json::object encode_volume(const protocol::ReportedVolume& volume);
[[nodiscard]] std::optional<protocol::ReportedVolume> decode_volume(const boost::json::object& in);

}  // namespace reprise::agent
