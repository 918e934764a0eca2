// What operator and agent agree on: environment, annotations and exit codes; the record of an end is in record.h. Both
// sides and the simulator include this; nothing here needs a library.
#pragma once

#include <cstddef>

#include "protocol/annotations.h"
#include "protocol/environment.h"
#include "protocol/exit_codes.h"

namespace reprise::protocol {

// The kubelet reads at most so much of a termination message, which holds a record.
inline constexpr std::size_t kMaxRecordBytes = 4096;

}  // namespace reprise::protocol
