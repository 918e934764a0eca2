// Annotations of pods that the operator writes and the agent reads from the downward API's file.
#pragma once

#include <string_view>

namespace reprise::protocol {

// Asks for a checkpoint without an end; the value changes with each request.
inline constexpr std::string_view kCheckpointRequestAnnotation = "reprise.dev/checkpoint-request";

}  // namespace reprise::protocol
