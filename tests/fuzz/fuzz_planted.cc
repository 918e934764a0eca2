// A target that breaks its invariant on purpose: tests/fuzz/run expects libFuzzer to find it, so that a run which
// cannot fail is noticed.
#include "tests/fuzz/invariant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  reprise::fuzz::invariant(!reprise::fuzz::text_of(data, size).starts_with("BUG"), "a planted one");
  return 0;
}
