// A Lease that anybody may have written: read or rejected.
#include "runtime/leader/internal/lease_json.h"
#include "tests/fuzz/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lease = reprise::runtime::read_lease(reprise::fuzz::text_of(data, size));
  if (lease) (void)reprise::runtime::encode_lease_patch(*lease);
  return 0;
}
