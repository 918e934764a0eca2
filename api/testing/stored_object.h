// Changes an object's JSON as the API server does: an object comes back other than it was sent.
#pragma once

#include <string>
#include <string_view>

namespace reprise::api::testing {

enum class LastWriter {
  Sender,        // stored as it came, without what is null
  GoController,  // a controller in Go has updated it: quantities and durations are in the form that Go writes
};

// `sent`: a NodePool or NodeOverlay. Throws std::invalid_argument when it is no JSON, or holds no duration where one
// belongs.
[[nodiscard]] std::string stored_object(std::string_view sent, LastWriter last);
// A merge patch (RFC 7386) upon a stored object.
[[nodiscard]] std::string merge_patched(std::string_view object, std::string_view patch);

}  // namespace reprise::api::testing
