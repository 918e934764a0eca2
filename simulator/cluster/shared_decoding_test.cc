#include "simulator/cluster/shared_decoding.h"

#include <gtest/gtest.h>

#include <string>

namespace reprise::simulator {
namespace {

TEST(SharedDecoding, an_object_is_found_by_the_whole_of_its_bytes_and_its_type) {
  SharedDecoding decoding;
  EXPECT_EQ(decoding.find(typeid(int), "1"), nullptr);
  const auto one = std::make_shared<const int>(1);
  decoding.keep(typeid(int), "1", one);
  EXPECT_EQ(decoding.find(typeid(int), "1"), one);
  EXPECT_EQ(decoding.find(typeid(long), "1"), nullptr);
  EXPECT_EQ(decoding.find(typeid(int), "12"), nullptr);
}

TEST(SharedDecoding, what_takes_another_object_s_place_is_never_taken_for_it) {
  SharedDecoding decoding;
  for (int i = 0; i < 5'000; ++i) decoding.keep(typeid(int), std::to_string(i), std::make_shared<const int>(i));
  int kept = 0;
  for (int i = 0; i < 5'000; ++i) {
    const auto found = std::static_pointer_cast<const int>(decoding.find(typeid(int), std::to_string(i)));
    if (!found) continue;
    EXPECT_EQ(*found, i);
    ++kept;
  }
  EXPECT_GT(kept, 0);
  EXPECT_EQ(*std::static_pointer_cast<const int>(decoding.find(typeid(int), "4999")), 4'999);
}

}  // namespace
}  // namespace reprise::simulator
