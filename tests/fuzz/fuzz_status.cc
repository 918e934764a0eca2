// The body of an answer that is no success: any bytes become an error with a class and a text of bounded length.
#include "runtime/client/status.h"
#include "tests/fuzz/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const int code = (data[0] << 8 | data[1]) % 600;
  const auto error = reprise::runtime::decode_status(code, reprise::fuzz::text_of(data + 2, size - 2));
  reprise::fuzz::invariant(!error.retry_after || error.retry_after->count() > 0, "a wait is positive");
  reprise::fuzz::invariant(error.message.size() <= size + 64, "the text is no longer than what came");
  return 0;
}
