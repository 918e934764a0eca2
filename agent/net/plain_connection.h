// One connection without TLS: a cloud's metadata service speaks HTTP alone, on an address of the machine's own.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "agent/net/address.h"
#include "agent/net/reading.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// Sends `request` and returns what comes back until the connection or `reading` ends; an error is a text for people.
[[nodiscard]] std::expected<std::string, std::string> ask_plainly(const Address& server, std::string_view request,
                                                                  runtime::Instant deadline, const Reading& reading);

}  // namespace reprise::agent
