// Translates the end of a transfer into an Error for the caller that waits for the answer.
#pragma once

#include <curl/curl.h>

#include <string_view>

#include "runtime/base/error.h"

namespace reprise::runtime {

// `left`: the request has been handed to a connection, so the server may have seen it. A lost connection in any form
// (GOAWAY, RST_STREAM, reset, half an answer, timeout) is Unavailable: a watch resumes where it was. An error that only
// another configuration mends is Terminal; a server that cannot be verified is not, for authorities are rotated.
[[nodiscard]] Error curl_error(CURLcode code, std::string_view detail, bool left);

}  // namespace reprise::runtime
