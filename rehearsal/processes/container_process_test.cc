#include "rehearsal/processes/container_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "agent/testing/process.h"
#include "agent/testing/temporary_directory.h"
#include "rehearsal/processes/marked_processes.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using agent::testing_support::eventually;
using agent::testing_support::TemporaryDirectory;
using agent::testing_support::text_in;
using ::testing::HasSubstr;

class ContainerScene : public ::testing::Test {
 protected:
  void SetUp() override {
    adopt_orphans_of_supervisors();
    fs::create_directory(scratch_);
  }

  ContainerCommand shell(const std::string& script) const {
    return {.words = {"/bin/sh", "-c", script},
            .environment = {{"PATH", "/usr/bin:/bin"}, {"REHEARSAL", marker()}},
            .output = output_,
            .scratch = scratch_};
  }
  std::string marker() const { return directory_.path().string(); }
  ContainerProcess start(const ContainerCommand& command) const {
    auto process = ContainerProcess::start(command, isolation_);
    EXPECT_TRUE(process) << process.error().message;
    return std::move(*process);
  }
  bool says(const std::string& text) const {
    return eventually([&] { return text_in(output_).find(text) != std::string::npos; });
  }
  static ContainerEnd wait_for_end(ContainerProcess& process) {
    pollfd ready{.fd = process.descriptor(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&ready, 1, 40'000), 1);
    const auto end = process.ended();
    EXPECT_TRUE(end);
    return end.value_or(ContainerEnd{.exit_code = -1});
  }
  std::size_t left() const { return marked_processes("REHEARSAL=" + marker()).size(); }

  TemporaryDirectory directory_;
  fs::path output_ = directory_.path() / "output", scratch_ = directory_.path() / "scratch";
  Isolation isolation_;
};

// Every invariant holds with and without the right to namespaces.
class Container : public ContainerScene, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    ContainerScene::SetUp();
    if (GetParam()) isolation_ = probe_isolation();
  }
};

TEST_P(Container, tells_the_exit_code_and_the_signal) {
  auto exits = start(shell("exit 7"));
  EXPECT_EQ(wait_for_end(exits).exit_code, 7);
  auto dies = start(shell("kill -USR1 $$; sleep 1000"));
  if (!isolation_.processes) {
    const auto end = wait_for_end(dies);
    EXPECT_EQ(end.signal, SIGUSR1);
    EXPECT_EQ(end.exit_code, 128 + SIGUSR1);
  } else {
    dies.send(SIGKILL);  // the first process of a table has no default actions, as in a container
    EXPECT_EQ(wait_for_end(dies).exit_code, 137);
  }
}

TEST_P(Container, passes_signals_on) {
  auto process = start(shell("trap 'echo saved; exit 0' TERM; echo ready; while :; do sleep 0.01; done"));
  ASSERT_TRUE(says("ready"));
  EXPECT_FALSE(process.ended());
  process.send(SIGTERM);
  EXPECT_EQ(wait_for_end(process).exit_code, 0);
  EXPECT_THAT(text_in(output_), HasSubstr("saved"));
}

TEST_P(Container, that_ignores_sigterm_is_killed) {
  auto process = start(shell("trap '' TERM; echo ready; while :; do sleep 0.01; done"));
  ASSERT_TRUE(says("ready"));
  process.send(SIGTERM);
  process.send(SIGKILL);
  EXPECT_EQ(wait_for_end(process).exit_code, 137);
  EXPECT_EQ(left(), 0U);
}

TEST_P(Container, leaves_nothing_behind_when_its_command_ends) {
  auto process =
      start(shell("setsid sh -c 'trap \"\" TERM HUP; echo far; sleep 1000' & (sleep 1000 & echo orphan) ; sleep 1000 & "
                  "while ! grep -q far " +
                  output_.string() + "; do sleep 0.01; done; exit 3"));
  const auto end = wait_for_end(process);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(left(), 0U);
  if (!isolation_.processes) {
    EXPECT_GE(end.left_behind, 3);
  }
}

TEST_P(Container, is_found_by_its_mark_also_while_it_executes_another_program) {
  const fs::path script = directory_.path() / "script";
  std::ofstream(script) << "exec /bin/sh " << script.string() << "\n";
  const auto process = start(shell("exec /bin/sh " + script.string()));
  for (int look = 0; look < 1000; ++look) ASSERT_EQ(left(), 1U) << "in look " << look;
}

TEST_P(Container, leaves_nothing_behind_when_its_handle_goes) {
  {
    auto process = start(shell("setsid sleep 1000 & echo ready; sleep 1000"));
    ASSERT_TRUE(says("ready"));
    EXPECT_GE(left(), 2U);
  }
  EXPECT_EQ(left(), 0U);
}

TEST_P(Container, leaves_nothing_behind_when_its_caller_is_killed) {
  const pid_t caller = ::fork();
  if (caller == 0) {
    const auto process = start(shell("setsid sleep 1000 & echo ready; sleep 1000"));
    for (;;) ::pause();
  }
  EXPECT_TRUE(says("ready"));
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return left() == 0; }));
}

// Holds also while the container is being started. Survivors become children of this process, which waits for all of
// them.
TEST_P(Container, leaves_nothing_behind_at_whatever_moment_its_caller_is_killed) {
  for (std::chrono::microseconds moment{0}; moment < 20ms; moment += 250us) {
    const pid_t caller = ::fork();
    if (caller == 0) {
      const auto process = start(shell("setsid sleep 1000 & sleep 1000"));
      for (;;) ::pause();
    }
    std::this_thread::sleep_for(moment);
    ::kill(caller, SIGKILL);
    ASSERT_TRUE(eventually([] {
      pid_t ended = 0;
      while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
      }
      return ended < 0 && errno == ECHILD;
    })) << moment.count()
        << " us after its start began";
  }
}

TEST_P(Container, whose_supervisor_is_killed_is_swept_away) {
  auto process = start(shell("setsid sleep 1000 & echo ready; sleep 1000"));
  ASSERT_TRUE(says("ready"));
  ::kill(process.supervisor(), SIGKILL);
  std::ignore = wait_for_end(process);
  EXPECT_TRUE(eventually([&] {
    std::ignore = kill_orphans({});
    return left() == 0;
  }));
}

TEST_P(Container, a_command_that_is_not_there_is_not_found) {
  const auto process = ContainerProcess::start({.words = {"no-such-trainer"}, .environment = {}}, isolation_);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().error_class, runtime::ErrorClass::NotFound);
  EXPECT_THAT(process.error().message, HasSubstr("execute no-such-trainer: No such file"));
}

INSTANTIATE_TEST_SUITE_P(on_this_machine, Container, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "isolated" : "plain"; });

// Root or unprivileged user namespaces, as the agent's process tests.
class ContainerWithVolumes : public ContainerScene {
 protected:
  void SetUp() override {
    ContainerScene::SetUp();
    isolation_ = probe_isolation();
    ASSERT_TRUE(isolation_.mounts);
  }
};

TEST_F(ContainerWithVolumes, sees_volumes_where_it_wants_them_and_the_machine_does_not) {
  const fs::path volume = directory_.path() / "volume";
  fs::create_directory(volume);
  auto command = shell("echo hello >/no-such-place/deep/below/file && ls /usr/bin >/dev/null && cat /proc/self/comm");
  command.mounts = {{.source = volume, .at = "/no-such-place/deep/below"}};
  auto process = start(command);
  EXPECT_EQ(wait_for_end(process).exit_code, 0) << text_in(output_);
  EXPECT_EQ(text_in(volume / "file"), "hello\n");
  EXPECT_FALSE(fs::exists("/no-such-place"));
}

TEST_F(ContainerWithVolumes, sees_a_volume_in_place_of_a_directory_of_the_machine) {
  const fs::path volume = directory_.path() / "volume", place = directory_.path() / "place";
  fs::create_directory(volume);
  fs::create_directory(place);
  auto command = shell("echo hello >" + (place / "file").string());
  command.mounts = {{.source = volume, .at = place}};
  auto process = start(command);
  EXPECT_EQ(wait_for_end(process).exit_code, 0) << text_in(output_);
  EXPECT_EQ(text_in(volume / "file"), "hello\n");
  EXPECT_TRUE(fs::is_empty(place));
}

}  // namespace
}  // namespace reprise::rehearsal
