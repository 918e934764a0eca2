// JSON around objects that are text already. A version's text is made once (version.h) and shown to all lists and
// watches; it goes into its list or line as it is, and only the text around it is written anew.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "simulator/api_server/schema/shape.h"

namespace reprise::simulator {

// `around` with one more member at its end, whose value is the text.
[[nodiscard]] std::string enclosed(JsonObject around, std::string_view member, std::string_view text);
// A list object of the kind.
[[nodiscard]] std::string list_of(const ResourceType& type, Shape shape, JsonObject metadata,
                                  std::span<const VersionPtr> items);

}  // namespace reprise::simulator
