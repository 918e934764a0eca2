#include "runtime/base/files/growing_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace reprise::runtime {
namespace {

using testing::ElementsAre;

TEST(growing_list, is_told_once_each_with_what_the_told_ones_add) {
  std::vector<int> list{1, 5}, told;
  tell_each_of_growing<int>([&] { return list; },
                            [&](int entry) {
                              told.push_back(entry);
                              if (entry == 5) list = {1, 3};
                              if (entry == 3) list = {4};
                            });
  EXPECT_THAT(told, ElementsAre(1, 5, 3, 4));
}

TEST(growing_list, that_grows_for_ever_is_read_sixteen_times) {
  int newest = 0, told = 0;
  tell_each_of_growing<int>([&] { return std::vector{++newest}; }, [&](int) { ++told; });
  EXPECT_EQ(told, kMostReadings);
}

}  // namespace
}  // namespace reprise::runtime
