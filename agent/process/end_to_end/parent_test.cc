// The agent as a parent: streams, terminal, signals, orphans, PID 1.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>

#include "agent/process/trainer/process_tree.h"
#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing_support::agent_binary;
using testing_support::as_pid_1;
using testing_support::eventually;
using testing_support::lives;
using testing_support::put_text;
using testing_support::Scene;
using testing_support::status_of;
using testing_support::text_in;

TEST(parent, the_trainer_has_the_agents_input_directory_and_environment) {
  const Scene scene;
  put_text(scene.path("input"), "from standard input\n");
  std::filesystem::create_directory(scene.path("here"));
  auto agent =
      scene.run({.variables = {{"MINE", "kept"}}, .input = scene.path("input"), .directory = scene.path("here")},
                {"sh", "-c", "cat; pwd -P; echo $MINE $REPRISE_ATTEMPT"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(1), HasSubstr("from standard input\n"));
  EXPECT_THAT(scene.output(1), HasSubstr(std::filesystem::canonical(scene.path("here")).string() + "\n"));
  EXPECT_THAT(scene.output(1), HasSubstr("kept 1\n"));
}

TEST(parent, the_trainer_starts_with_the_signal_mask_and_dispositions_of_the_agent) {
  const Scene scene;
  auto agent = scene.run({}, {"sh", "-c", "trap '' WINCH; exec grep -E 'Sig(Blk|Ign)' /proc/self/status"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(1), HasSubstr("SigBlk:\t" + status_of(::getpid(), "SigBlk")));
}

TEST(parent, no_descriptor_of_the_agent_reaches_the_trainer) {
  const Scene scene;
  std::set<std::string> expected{"/dev/null", scene.path("output-1-0").string()};
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the listing's own
    expected.insert(std::filesystem::read_symlink(entry.path(), gone).string());
  }
  auto agent = scene.run({}, {"sh", "-c", "for fd in /proc/$$/fd/*; do readlink \"$fd\" || true; done"});
  EXPECT_EQ(agent.wait(), 0);
  std::istringstream lines(scene.output(1));
  std::set<std::string> pipes;  // pipes of its own output and error
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("pipe:") && !expected.contains(line)) pipes.insert(line);
    EXPECT_TRUE(expected.contains(line) || pipes.contains(line)) << line;
  }
  EXPECT_EQ(pipes.size(), 2U);
}

TEST(parent, signals_it_does_not_use_go_to_the_trainer) {
  const Scene scene;
  auto agent = scene.run({}, {"sh", "-c",
                              "trap 'echo hup' HUP; trap 'echo int' INT; trap 'echo usr2' USR2; trap 'exit 7' QUIT; "
                              "echo up; while :; do sleep 0.01; done"});
  ASSERT_TRUE(scene.wait_for_text(1, "up"));
  agent.send(SIGHUP);
  EXPECT_TRUE(scene.wait_for_text(1, "hup"));
  agent.send(SIGINT);
  EXPECT_TRUE(scene.wait_for_text(1, "int"));
  agent.send(SIGUSR2);
  EXPECT_TRUE(scene.wait_for_text(1, "usr2"));
  agent.send(SIGQUIT);
  EXPECT_EQ(agent.wait(), 7);
  EXPECT_FALSE(scene.record(1)->stop_requested);
}

TEST(parent, on_a_terminal_the_trainer_reads_and_gets_the_interrupt_key) {
  const Scene scene;
  const auto variables = scene.variables({});
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    ::execl(agent_binary().c_str(), "reprise-agent", "run", "--", "sh", "-c",
            "trap 'echo interrupted; exit 5' INT; read word; echo got-$word; while :; do sleep 0.01; done", nullptr);
    ::_exit(98);
  }
  ::fcntl(terminal, F_SETFL, O_NONBLOCK);
  std::string seen;
  const auto sees = [&](const std::string& text) {
    return eventually([&] {
      std::array<char, 256> bytes{};
      const auto got = ::read(terminal, bytes.data(), bytes.size());
      if (got > 0) seen.append(bytes.data(), static_cast<std::size_t>(got));
      return seen.find(text) != std::string::npos;
    });
  };
  ASSERT_EQ(::write(terminal, "hello\n", 6), 6);
  EXPECT_TRUE(sees("got-hello")) << seen;
  ASSERT_EQ(::write(terminal, "\x03", 1), 1);
  EXPECT_TRUE(sees("interrupted")) << seen;
  int status = 0;
  EXPECT_TRUE(eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }));
  EXPECT_EQ(WEXITSTATUS(status), 5);
  ::close(terminal);
}

TEST(parent, orphans_are_reaped_while_the_trainer_runs) {
  const Scene scene;
  const std::string file = scene.path("orphan").string();
  auto agent =
      scene.run({}, {"sh", "-c", "(sh -c 'echo $$ > " + file + "; exec sleep 0.05' &) ; echo up; exec sleep 1000"});
  ASSERT_TRUE(eventually([&] { return text_in(file).ends_with("\n"); }));
  const pid_t orphan = std::stoi(text_in(file));
  EXPECT_TRUE(eventually([&] { return status_of(orphan, "State").empty(); }));  // not even a zombie
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
}

TEST(parent, leaves_no_process_behind) {
  const Scene scene;
  const std::string file = scene.path("left").string();
  auto agent = scene.run(
      {}, {"sh", "-c",
           "(trap '' TERM HUP; setsid sh -c 'trap \"\" TERM; echo $$ > " + file +
               "; while :; do sleep 0.01; done' &); while [ ! -s " + file + " ]; do sleep 0.01; done; exit 3"});
  EXPECT_EQ(agent.wait(), 3);
  EXPECT_FALSE(lives(std::stoi(text_in(file))));
}

// As the first process of a container: signals arrive, orphans are reaped, nothing is left.
TEST(pid_1, is_a_correct_init) {
  const Scene scene;
  auto variables = scene.variables({});
  variables["REPRISE_NOTICE_SIGNAL"] = "SIGUSR1";
  std::vector<std::string> words{agent_binary(),
                                 "run",
                                 "--",
                                 "sh",
                                 "-c",
                                 "echo parent=$PPID; (sleep 0.05 &) ; (setsid sleep 1000 &); exec \"$@\"",
                                 "sh"};
  const auto trainer = scene.trainer(1'000'000, 0, 2, {"--on-sigterm", "exit"});
  words.insert(words.end(), trainer.begin(), trainer.end());
  put_text(scene.termination_log(1, 0), "");
  testing_support::Process container({.words = as_pid_1(words),
                                      .variables = variables,
                                      .output = scene.path("output-1-0"),
                                      .input = {},
                                      .directory = {}});
  ASSERT_TRUE(scene.wait_for_text(1, "started"));
  EXPECT_THAT(scene.output(1), HasSubstr("parent=1\n"));
  const auto inside = processes_below(container.pid());
  const auto first = children_of(container.pid(), inside);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(eventually([&] { return processes_below(first[0]).size() == 2; }));  // trainer and the long sleeper
  ::kill(first[0], SIGTERM);
  EXPECT_EQ(container.wait(std::chrono::seconds(20)), 143);  // well within its grace: the sleeper is not waited for
  EXPECT_TRUE(scene.record(1)->saved);
  for (const auto& process : inside) EXPECT_FALSE(lives(process.pid));
}

TEST(pid_1, pause_ends_with_0_on_sigterm) {
  testing_support::Process container(
      {.words = as_pid_1({agent_binary(), "pause"}), .variables = {}, .output = {}, .input = {}, .directory = {}});
  std::vector<pid_t> inside;
  ASSERT_TRUE(eventually([&] {
    inside = children_of(container.pid(), processes_below(container.pid()));
    return inside.size() == 1 && status_of(inside[0], "SigBlk").find_first_not_of('0') != std::string::npos &&
           status_of(inside[0], "Name") == "reprise-agent";
  }));
  EXPECT_TRUE(container.running());
  ::kill(inside[0], SIGTERM);
  EXPECT_EQ(container.wait(), 0);
}

}  // namespace
}  // namespace reprise::agent
