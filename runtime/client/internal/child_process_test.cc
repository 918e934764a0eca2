#include "runtime/client/internal/child_process.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include <fstream>
#include <future>

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ChildCommand shell(std::string script) {
  return {.arguments = {"sh", "-c", std::move(script)}};
}

// A dead process that nobody has waited for yet does not run.
bool runs(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z";
}

TEST(ChildProcess, output_error_and_exit_code_are_told) {
  const ChildStop stop;
  const auto ended = run_child(shell("echo out; echo err >&2; exit 7"), stop);
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(ended->standard_output, "out\n");
  EXPECT_EQ(ended->standard_error, "err\n");
  EXPECT_EQ(ended->exit_code, 7);
}

TEST(ChildProcess, death_by_a_signal_is_an_exit_code_as_in_a_shell) {
  const ChildStop stop;
  EXPECT_EQ(run_child(shell("kill -TERM $$"), stop)->exit_code, 128 + SIGTERM);
}

TEST(ChildProcess, signals_that_are_blocked_here_are_not_blocked_there) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const ChildStop stop;
  EXPECT_EQ(run_child(shell("kill -TERM $$; echo survived"), stop)->standard_output, "");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(ChildProcess, the_environment_is_ours_with_what_the_command_sets_over_it) {
  const ChildStop stop;
  ChildCommand command = shell("echo $HOME $PATH");
  command.environment = {{"HOME", "elsewhere"}};
  const auto ended = run_child(command, stop);
  EXPECT_TRUE(ended->standard_output.starts_with("elsewhere /")) << ended->standard_output;
}

TEST(ChildProcess, there_is_nothing_to_read_and_no_descriptor_of_ours) {
  const ChildStop stop;
  EXPECT_EQ(run_child(shell("cat; ls /proc/self/fd | wc -l"), stop)->standard_output, "4\n");
}

TEST(ChildProcess, no_such_command_is_not_found) {
  const ChildStop stop;
  const auto ended = run_child({.arguments = {"reprise-no-such-command"}}, stop);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().error_class, ErrorClass::NotFound);
}

TEST(ChildProcess, who_takes_too_long_is_killed_with_all_it_started) {
  const ChildStop stop;
  ChildCommand command = shell("sleep 1000 & echo $!; wait");
  command.timeout = milliseconds(300);
  const auto begin = std::chrono::steady_clock::now();
  const auto ended = run_child(command, stop);
  ASSERT_FALSE(ended);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(100));
  EXPECT_NE(ended.error().message.find("300 ms"), std::string::npos);
}

TEST(ChildProcess, what_is_left_running_does_not_hold_us_and_is_killed) {
  const ChildStop stop;
  const auto ended = run_child(shell("sleep 1000 & echo $!"), stop);
  ASSERT_TRUE(ended);
  const auto left = static_cast<pid_t>(std::stol(ended->standard_output));
  while (runs(left)) sched_yield();
}

TEST(ChildProcess, who_prints_too_much_is_killed) {
  const ChildStop stop;
  const auto ended = run_child(shell("yes"), stop);
  ASSERT_FALSE(ended);
  EXPECT_NE(ended.error().message.find("1048576 bytes"), std::string::npos);
}

TEST(ChildProcess, another_thread_may_stop_it) {
  const ChildStop stop;
  auto ended = std::async(std::launch::async, [&] { return run_child(shell("sleep 1000"), stop); });
  stop.stop();
  EXPECT_EQ(ended.get().error().error_class, ErrorClass::Cancelled);
}

}  // namespace
}  // namespace reprise::runtime
