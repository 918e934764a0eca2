#include "agent/core/stop/telling/witness.h"

#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
constexpr runtime::Instant kAtFirst{1'000s};

std::vector<Process> tree(std::chrono::milliseconds launcher, std::optional<std::chrono::milliseconds> trainer = {}) {
  std::vector<Process> processes{{.pid = 2, .parent = 1, .started = 5, .cpu = launcher}};
  if (trainer) processes.push_back({.pid = 3, .parent = 2, .started = 900, .cpu = *trainer});
  return processes;
}

TEST(witness, says_who_computes_once_it_has_seen_three_seconds_of_it) {
  Witness witness;
  EXPECT_FALSE(witness.take(tree(0s), kAtFirst)[0].burn);
  EXPECT_FALSE(witness.take(tree(1s), kAtFirst + 2s)[0].burn);
  EXPECT_DOUBLE_EQ(witness.take(tree(1s), kAtFirst + 4s)[0].burn.value(), 0.25);
}

TEST(witness, counts_of_a_launcher_only_what_it_computes_beside_its_children) {
  Witness witness;
  static_cast<void>(witness.take(tree(0s), kAtFirst));
  static_cast<void>(witness.take(tree(8s), kAtFirst + 8s));  // its imports
  static_cast<void>(witness.take(tree(8s, 0s), kAtFirst + 9s));
  const auto seen = witness.take(tree(8s, 4s), kAtFirst + 13s);
  EXPECT_DOUBLE_EQ(seen[0].burn.value(), 0);
  EXPECT_DOUBLE_EQ(seen[1].burn.value(), 1);
  // A data loader's workers come anew with each epoch: the time since the first of them counts.
  const std::vector<Process> epoch{{.pid = 2, .parent = 1, .started = 5, .cpu = 10s}, {.pid = 9, .parent = 2}};
  EXPECT_DOUBLE_EQ(witness.take(epoch, kAtFirst + 17s)[0].burn.value(), 0.25);
}

TEST(witness, counts_what_a_launcher_computes_after_a_helper_that_has_ended_at_once) {
  Witness witness;
  static_cast<void>(witness.take(tree(0s, 0s), kAtFirst));
  static_cast<void>(witness.take(tree(1s), kAtFirst + 1s));
  static_cast<void>(
      witness.take({{.pid = 2, .parent = 1, .started = 5, .cpu = 7s}, {.pid = 9, .parent = 2}}, kAtFirst + 7s));
  const auto seen = witness.take({{.pid = 2, .parent = 1, .started = 5, .cpu = 7s}, {.pid = 9, .parent = 2, .cpu = 3s}},
                                 kAtFirst + 10s);
  EXPECT_DOUBLE_EQ(seen[0].burn.value(), 0);
  EXPECT_DOUBLE_EQ(seen[1].burn.value(), 1);
}

TEST(witness, forgets_what_was_long_ago) {
  Witness witness;
  for (int second = 0; second <= 70; second += 10)
    static_cast<void>(witness.take(tree(std::min(40s, 1s * second)), kAtFirst + 1s * second));
  EXPECT_DOUBLE_EQ(witness.take(tree(40s), kAtFirst + 80s)[0].burn.value(), 0);
}

TEST(witness, takes_a_pid_that_comes_again_for_somebody_else) {
  Witness witness;
  static_cast<void>(witness.take({{.pid = 2, .started = 5, .cpu = 0s}}, kAtFirst));
  EXPECT_FALSE(witness.take({{.pid = 2, .started = 6, .cpu = 9s}}, kAtFirst + 9s)[0].burn);
}

TEST(witness, looks_less_often_with_time_and_where_processes_are_many) {
  Witness witness;
  static_cast<void>(witness.take(tree(0s), kAtFirst));
  EXPECT_EQ(witness.look_at(), kAtFirst + 1s);
  static_cast<void>(witness.take(tree(0s), kAtFirst + 60s));
  EXPECT_EQ(witness.look_at(), kAtFirst + 70s);
  static_cast<void>(witness.take(std::vector<Process>(1'000), kAtFirst + 70s));
  EXPECT_EQ(witness.look_at(), kAtFirst + 110s);
}

}  // namespace
}  // namespace reprise::agent
