// Processes of this machine whose parents do not see them end, and codes of processes that others have reaped.
#include "agent/process/trainer/ends_of_others.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "agent/testing/process.h"

namespace reprise::agent {
namespace {

using testing_support::eventually;
using testing_support::lives;

int g_stop_signals = 0;

// A launcher of two ranks. Each rank ends with a code once it was signalled; the launcher ends when the first has
// ended, and its code says whether the other one had ended by then.
class Launched {
 public:
  static constexpr int kBothEnded = 2, kOneEnded = 1;
  static constexpr int kFirst = 85, kSecond = 93;

  Launched() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::abort();
    launcher_ = ::fork();
    if (launcher_ == 0) launch(ends[1]);
    for (pid_t& rank : ranks_)
      if (::read(ends[0], &rank, sizeof rank) != sizeof rank) std::abort();
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Launched(const Launched&) = delete;
  Launched& operator=(const Launched&) = delete;
  ~Launched() {
    for (const pid_t pid : ranks_) ::kill(pid, SIGKILL);
    if (launcher_ == 0) return;
    ::kill(launcher_, SIGKILL);
    ::waitpid(launcher_, nullptr, 0);
  }

  [[nodiscard]] pid_t rank(std::size_t number) const { return ranks_.at(number); }
  int launchers_code() {
    int status = 0;
    ::waitpid(std::exchange(launcher_, 0), &status, 0);
    return WEXITSTATUS(status);
  }
  [[nodiscard]] bool launcher_lives() const { return lives(launcher_); }
  void kill_launcher() {
    ::kill(launcher_, SIGKILL);
    ::waitpid(std::exchange(launcher_, 0), nullptr, 0);
  }

 private:
  [[noreturn]] static void launch(int told) {
    for (const int code : {kFirst, kSecond}) {
      const pid_t rank = ::fork();
      if (rank == 0) train(told, code);
    }
    ::waitpid(-1, nullptr, 0);
    ::usleep(50'000);  // time in which both are reaped where both ends were shown
    ::_exit(::waitpid(-1, nullptr, WNOHANG) > 0 ? kBothEnded : kOneEnded);
  }

  [[noreturn]] static void train(int told, int code) {
    ::signal(SIGUSR1, [](int) { ++g_stop_signals; });
    ::signal(SIGTERM, [](int) { g_stop_signals += 2; });
    const pid_t self = ::getpid();
    if (::write(told, &self, sizeof self) != sizeof self) ::_exit(1);
    while (g_stop_signals < 2) ::usleep(1'000);
    ::_exit(code);
  }

  pid_t launcher_ = 0;
  std::array<pid_t, 2> ranks_{};
};

bool comes_true(EndsOfOthers& ends, const std::function<bool()>& condition) {
  return eventually([&] {
    ends.look();
    return condition();
  });
}

TEST(ends_of_others, are_shown_together) {
  Launched launched;
  EndsOfOthers ends;
  ASSERT_TRUE(ends.hide(launched.rank(0)));
  ASSERT_TRUE(ends.hide(launched.rank(1)));
  ::kill(launched.rank(0), SIGTERM);
  ASSERT_TRUE(comes_true(ends, [&] { return ends.exit_code(launched.rank(0)).has_value(); }));
  ::usleep(100'000);
  ends.look();
  EXPECT_TRUE(launched.launcher_lives());
  EXPECT_FALSE(ends.exit_code(launched.rank(1)));
  ::kill(launched.rank(1), SIGTERM);
  ASSERT_TRUE(comes_true(ends, [&] { return ends.exit_code(launched.rank(1)).has_value(); }));
  ends.show();
  EXPECT_EQ(launched.launchers_code(), Launched::kBothEnded);
  std::vector<int> codes{*ends.exit_code(launched.rank(0)), *ends.exit_code(launched.rank(1))};
  std::ranges::sort(codes);
  EXPECT_EQ(codes, (std::vector{Launched::kFirst, Launched::kSecond}));
}

TEST(ends_of_others, are_seen_at_once_when_they_are_shown) {
  Launched launched;
  EndsOfOthers ends;
  ASSERT_TRUE(ends.hide(launched.rank(0)));
  ASSERT_TRUE(ends.hide(launched.rank(1)));
  ::kill(launched.rank(0), SIGTERM);
  ASSERT_TRUE(comes_true(ends, [&] { return ends.exit_code(launched.rank(0)).has_value(); }));
  ends.show();
  EXPECT_EQ(launched.launchers_code(), Launched::kOneEnded);
}

TEST(ends_of_others, signals_pass_and_nobody_comes_to_stand_still) {
  Launched launched;
  EndsOfOthers ends;
  ASSERT_TRUE(ends.hide(launched.rank(0)));
  ::kill(launched.rank(0), SIGSTOP);
  // The process ends behind the second signal that has come: two that wait together are one.
  EXPECT_TRUE(comes_true(ends, [&] {
    ::kill(launched.rank(0), SIGUSR1);
    return ends.exit_code(launched.rank(0)).has_value();
  }));
}

TEST(ends_of_others, of_a_rank_that_was_killed_are_hidden_too) {
  Launched launched;
  EndsOfOthers ends;
  ASSERT_TRUE(ends.hide(launched.rank(0)));
  ::kill(launched.rank(0), SIGKILL);
  EXPECT_TRUE(comes_true(ends, [&] { return ends.exit_code(launched.rank(0)) == 128 + SIGKILL; }));
  EXPECT_TRUE(launched.launcher_lives());
}

// The agent takes over what a launcher leaves behind.
TEST(ends_of_others, are_hidden_from_nobody_whose_launcher_has_ended) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  Launched launched;
  EndsOfOthers ends;
  ASSERT_TRUE(ends.hide(launched.rank(0)));
  launched.kill_launcher();
  ::kill(launched.rank(0), SIGTERM);
  EXPECT_TRUE(comes_true(ends, [&] { return !ends.is_traced(launched.rank(0)); }));
  EXPECT_TRUE(ends.exit_code(launched.rank(0)));
  ::kill(launched.rank(1), SIGKILL);
  ::waitpid(launched.rank(1), nullptr, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(ends_of_others, of_nobody_are_hidden_who_is_gone) {
  EndsOfOthers ends;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(ends.hide(child));
}

TEST(ends_of_others, are_known_where_a_launcher_has_reaped_them) {
  Launched launched;
  EndsOfOthers ends;
  ends.follow({launched.rank(0), launched.rank(1)});
  EXPECT_FALSE(ends.exit_code(launched.rank(0)));
  ::kill(launched.rank(0), SIGTERM);
  static_cast<void>(launched.launchers_code());
  const auto code = ends.exit_code(launched.rank(0));
  if (!code) GTEST_SKIP() << "this kernel forgets them: it is older than Linux 6.15";
  EXPECT_TRUE(code == Launched::kFirst || code == Launched::kSecond);
  EXPECT_FALSE(ends.exit_code(launched.rank(1)));
}

TEST(ends_of_others, of_a_child_are_known_before_it_is_reaped) {
  constexpr int kCode = 7;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(kCode);
  EndsOfOthers ends;
  ends.follow({child});
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(ends.exit_code(child), kCode);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace reprise::agent
