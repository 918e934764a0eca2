#include "agent/formats/names/memo.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "agent/formats/name_numbers.h"

namespace reprise::agent {
namespace {

TEST(Memo, reads_a_name_once) {
  Memo<std::size_t> sizes(8);
  int read = 0;
  const auto size_of = [&](std::string_view name) {
    ++read;
    return name.size();
  };
  EXPECT_EQ(sizes.of("step_1", size_of), 6U);
  EXPECT_EQ(sizes.of("step_1", size_of), 6U);
  EXPECT_EQ(sizes.of("step_10", size_of), 7U);
  EXPECT_EQ(read, 2);
}

TEST(Memo, keeps_no_more_names_than_it_may) {
  Memo<std::size_t> sizes(2);
  int read = 0;
  const auto size_of = [&](std::string_view name) {
    ++read;
    return name.size();
  };
  for (const std::string_view name : {"a", "b", "c", "c"}) EXPECT_EQ(sizes.of(name, size_of), 1U);
  EXPECT_EQ(read, 3);
  EXPECT_EQ(sizes.of("a", size_of), 1U);
  EXPECT_EQ(read, 4);
}

TEST(Memo, of_more_names_than_are_kept_each_is_read_rightly) {
  constexpr int kMore = 3'000;
  for (int round = 0; round < 2; ++round)
    for (int step = 0; step < kMore; ++step)
      ASSERT_EQ(read_save_name("out/checkpoint-" + std::to_string(step)).step, step);
}

}  // namespace
}  // namespace reprise::agent
