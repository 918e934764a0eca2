// What becomes of an object's JSON on its way through the API server: what comes back is not what was sent.
#pragma once

#include <string>
#include <string_view>

namespace reprise::api::testing {

enum class LastWriter {
  Sender,        // stored as it came, without what is null
  GoController,  // a controller in Go has updated it: quantities and durations are in the form that Go writes
};

// `sent`: of a NodePool or NodeOverlay. Throws std::invalid_argument on what is no JSON, or no duration where one
// stands.
[[nodiscard]] std::string stored_object(std::string_view sent, LastWriter last);
// A merge patch (RFC 7386) upon a stored object.
[[nodiscard]] std::string merge_patched(std::string_view object, std::string_view patch);

}  // namespace reprise::api::testing
