// Times: a text that is read is written and read again as the same instant.
#include "runtime/kube/time.h"
#include "tests/fuzz/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto time = reprise::kube::parse_time(reprise::fuzz::text_of(data, size));
  if (time) {
    const auto again = reprise::kube::parse_time(reprise::kube::format_micro_time(*time));
    reprise::fuzz::invariant(again == time, "a time survives being written");
  }
  return 0;
}
