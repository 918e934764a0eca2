// send() for transports whose own way is send_async().
#pragma once

#include "runtime/http/transport.h"

namespace reprise::runtime {

// Blocks; not on the executor's thread. Cancelled when the answer is dropped, for the process ends.
[[nodiscard]] Result<Response> send_and_wait(Transport& transport, const Request& request);

}  // namespace reprise::runtime
