#include "rehearsal/trainers/signals_of.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace reprise::rehearsal {
namespace {

// A child of this process that ignores SIGTERM, above one that did not and has ended; nobody reaps that.
pid_t ignores_above_a_zombie() {
  int ready[2] = {};
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGTERM, SIG_IGN);
    const pid_t below = ::fork();
    if (below == 0) {
      ::signal(SIGTERM, SIG_DFL);
      ::_exit(0);
    }
    siginfo_t end{};
    ::waitid(P_PID, static_cast<id_t>(below), &end, WEXITED | WNOWAIT);
    [[maybe_unused]] const auto written = ::write(ready[1], "!", 1);
    for (;;) ::pause();
  }
  ::close(ready[1]);
  char word = 0;
  EXPECT_EQ(::read(ready[0], &word, 1), 1);
  ::close(ready[0]);
  return child;
}

TEST(disposition_below, leaves_out_what_has_ended) {
  const pid_t child = ignores_above_a_zombie();
  EXPECT_EQ(disposition_below(::getpid(), SIGTERM), Disposition::Ignored);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(disposition_below(::getpid(), SIGTERM), Disposition::Unknown);
}

// Catches every signal as Go's runtime does in a service beside the trainer, which handles nothing.
pid_t catches_everything() {
  int ready[2] = {};
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    for (int signal = 1; signal < 32; ++signal) ::signal(signal, [](int) {});
    [[maybe_unused]] const auto written = ::write(ready[1], "!", 1);
    for (;;) ::pause();
  }
  ::close(ready[1]);
  char word = 0;
  EXPECT_EQ(::read(ready[0], &word, 1), 1);
  ::close(ready[0]);
  return child;
}

TEST(disposition_below, is_not_handled_by_who_catches_everything) {
  const pid_t child = catches_everything();
  EXPECT_NE(disposition_below(::getpid(), SIGTERM), Disposition::Handled);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace reprise::rehearsal
