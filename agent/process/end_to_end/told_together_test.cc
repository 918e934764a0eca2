// The pods of a gang are told to stop one after the other, and their trainers at one moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing_support::eventually;
using testing_support::Scene;
using testing_support::text_in;

// Two ranks whose trainers write down when they are told.
class Gang {
 public:
  explicit Gang(const std::string& grace) : first_(start(0, grace)), second_(start(1, grace)) {}

  [[nodiscard]] bool train() const {
    return eventually(
        [&] { return scene_.output(1, 0).contains("training") && scene_.output(1, 1).contains("training"); });
  }
  [[nodiscard]] double told_at(int index) const {
    const auto file = scene_.path("told-" + std::to_string(index));
    if (!eventually([&] { return !text_in(file).empty(); })) return 0;
    return std::stod(text_in(file));
  }
  [[nodiscard]] static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  [[nodiscard]] std::string output(int index) const { return scene_.output(1, index); }

 private:
  [[nodiscard]] testing_support::Process start(int index, const std::string& grace) const {
    const auto file = scene_.path("told-" + std::to_string(index)).string();
    return scene_.run(
        {.index = index, .variables = {{"REPRISE_PARALLELISM", "2"}, {"REPRISE_CHECKPOINT_GRACE_SECONDS", grace}}},
        {"python3", "-c",
         "import os, signal, sys, time\n"
         "def told(*_):\n"
         "  now = time.monotonic()\n"
         "  with open(sys.argv[1] + '.new', 'w') as file: file.write(str(now))\n"
         "  os.rename(sys.argv[1] + '.new', sys.argv[1])\n"
         "  sys.exit(143)\n"
         "signal.signal(signal.SIGTERM, told)\n"
         "signal.signal(signal.SIGUSR2, lambda *_: os._exit(3))\n"
         "print('training', flush=True)\n"
         "while True: time.sleep(0.01)",
         file});
  }

  Scene scene_;

 public:
  testing_support::Process first_, second_;
};

TEST(told_together, trainers_of_pods_that_are_told_apart_are_told_at_one_moment) {
  Gang gang("30");
  ASSERT_TRUE(gang.train()) << gang.output(0) << gang.output(1);
  const double began = Gang::now();
  gang.second_.send(SIGTERM);
  std::this_thread::sleep_for(700ms);
  gang.first_.send(SIGTERM);
  const auto [first, second] = std::minmax({gang.told_at(0), gang.told_at(1)});
  EXPECT_GT(first, began + 0.7);
  EXPECT_LT(second - first, 0.2) << "0.01 on a machine that has nothing else to do";
}

TEST(told_together, no_rank_waits_longer_for_one_that_is_not_told_than_a_tenth_of_its_grace) {
  Gang gang("10");
  ASSERT_TRUE(gang.train()) << gang.output(0) << gang.output(1);
  const double began = Gang::now();
  gang.first_.send(SIGTERM);
  const double waited = gang.told_at(0) - began;
  EXPECT_GT(waited, 0.9);
  EXPECT_LT(waited, 3);
  EXPECT_THAT(gang.output(0), HasSubstr("ranks of this gang were not told to stop in time"));
}

TEST(told_together, no_rank_waits_for_one_that_has_ended) {
  Gang gang("30");
  ASSERT_TRUE(gang.train()) << gang.output(0) << gang.output(1);
  gang.second_.send(SIGUSR2);
  EXPECT_EQ(gang.second_.wait(), 3);
  const double began = Gang::now();
  gang.first_.send(SIGTERM);
  EXPECT_LT(gang.told_at(0) - began, 2.5);
}

}  // namespace
}  // namespace reprise::agent
