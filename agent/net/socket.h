// A connection by TCP, each of whose steps ends at a deadline. An error is a text for people.
#pragma once

#include <expected>
#include <string>

#include "agent/net/address.h"
#include "agent/volume/file_descriptor.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// Connects without blocking.
[[nodiscard]] std::expected<FileDescriptor, std::string> connect_to(const Address& server, runtime::Instant deadline);

// True if one of `events` (POLLIN, POLLOUT) has happened before the deadline.
[[nodiscard]] bool wait_for(int fd, short events, runtime::Instant deadline);

// The system's text for an errno.
[[nodiscard]] std::string system_reason(int problem);

}  // namespace reprise::agent
