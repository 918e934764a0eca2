// A target that breaks its law on purpose: tests/fuzz/run expects libFuzzer to find it, so that a run which cannot fail
// is noticed.
#include "tests/fuzz/law.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  reprise::fuzz::law(!reprise::fuzz::text_of(data, size).starts_with("BUG"), "a planted one");
  return 0;
}
