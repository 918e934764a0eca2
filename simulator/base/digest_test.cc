#include "simulator/base/digest.h"

#include <gtest/gtest.h>

namespace reprise::simulator {
namespace {

TEST(Digest, is_fnv_1a_of_all_texts_as_one) {
  Digest nothing, whole, parts;
  EXPECT_EQ(nothing.value(), 0xcbf29ce484222325U);
  whole.add("foobar");
  EXPECT_EQ(whole.value(), 0x85944171f73967e8U);
  for (const char* part : {"foo", "", "bar"}) parts.add(part);
  EXPECT_EQ(parts.value(), whole.value());
}

}  // namespace
}  // namespace reprise::simulator
