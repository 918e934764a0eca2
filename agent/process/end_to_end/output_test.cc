// Output on its way between a trainer and whoever reads its output.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <thread>

#include "agent/json/json.h"
#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing_support::agent_binary;
using testing_support::Process;
using testing_support::put_text;
using testing_support::Scene;
using testing_support::text_in;

std::string quoted(const std::string& word) {
  return "'" + word + "'";
}

// The agent in a shell's pipeline: `$AGENT` stands for `reprise-agent run --`.
Process in_shell(const Scene& scene, const std::string& script) {
  put_text(scene.termination_log(1, 0), "");
  return Process({.words = {"bash", "-c", "AGENT=\"" + agent_binary() + " run --\"; " + script},
                  .variables = scene.variables({}),
                  .output = scene.path("said"),
                  .input = {},
                  .directory = {}});
}

TEST(output, passes_unchanged_whatever_bytes_it_has) {
  const Scene scene;
  std::string bytes;
  for (int i = 0; i < 3'000'000; ++i) bytes += static_cast<char>((i * 7919) >> 3U);
  put_text(scene.path("bytes"), bytes);
  auto shell = in_shell(scene, "$AGENT cat " + quoted(scene.path("bytes")) + " | cat > " + quoted(scene.path("copy")));
  EXPECT_EQ(shell.wait(), 0);
  EXPECT_TRUE(text_in(scene.path("copy")) == bytes);
}

TEST(output, standard_error_stays_apart) {
  const Scene scene;
  auto shell = in_shell(scene, "$AGENT sh -c 'echo to-output; echo to-error >&2' > " + quoted(scene.path("o")) +
                                   " 2> " + quoted(scene.path("e")));
  EXPECT_EQ(shell.wait(), 0);
  EXPECT_EQ(text_in(scene.path("o")), "to-output\n");
  EXPECT_EQ(text_in(scene.path("e")), "to-error\n");
}

TEST(output, all_of_it_comes_out_when_the_reader_is_slow) {
  const Scene scene;
  auto shell = in_shell(scene, "$AGENT head -c 300000 /dev/zero | (sleep 1; wc -c)");
  EXPECT_EQ(shell.wait(), 0);
  EXPECT_THAT(text_in(scene.path("said")), HasSubstr("300000"));
}

// An agent whose output and error nobody reads.
class Unread {
 public:
  explicit Unread(const std::string& script) {
    put_text(scene.termination_log(1, 0), "");
    ::mkfifo(scene.path("log").c_str(), 0600);
    unread_ = ::open(scene.path("log").c_str(), O_RDWR | O_CLOEXEC);
    auto variables = scene.variables({});
    variables["REPRISE_CHECKPOINT_GRACE_SECONDS"] = "16";
    agent.emplace(testing_support::Command{
        .words = {agent_binary(), "run", "--", "sh", "-c", script, "trainer", scene.path("there").string()},
        .variables = variables,
        .output = scene.path("log"),
        .input = {},
        .directory = {}});
    EXPECT_TRUE(testing_support::eventually([this] { return std::filesystem::exists(scene.path("there")); }));
    std::this_thread::sleep_for(300ms);
  }
  Unread(const Unread&) = delete;
  Unread& operator=(const Unread&) = delete;
  ~Unread() { ::close(unread_); }

  const Scene scene;
  std::optional<Process> agent;

 private:
  int unread_ = -1;
};

// Output that nobody reads after the trainer's end has the time that a stop leaves, and the record comes in time.
TEST(output, that_nobody_reads_delays_no_stop) {
  Unread unread("head -c 100000 /dev/zero; : > $1");
  const auto begin = std::chrono::steady_clock::now();
  unread.agent->send(SIGTERM);
  EXPECT_EQ(unread.agent->wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  EXPECT_TRUE(unread.scene.record(1));
}

TEST(output, that_nobody_reads_keeps_no_signal_from_the_trainer) {
  Unread unread("trap 'exit 9' TERM; head -c 300000 /dev/zero >&2 & : > $1; while :; do sleep 0.01; done");
  const auto begin = std::chrono::steady_clock::now();
  unread.agent->send(SIGTERM);
  EXPECT_EQ(unread.agent->wait(25s), 9);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 12s);
  EXPECT_TRUE(unread.scene.record(1));
}

TEST(output, a_trainer_whose_reader_is_gone_gets_sigpipe) {
  const Scene scene;
  auto shell = in_shell(scene, "$AGENT yes | head -1 > /dev/null; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(shell.wait(20s), 128 + SIGPIPE);
}

TEST(output, a_trainer_that_prints_nothing_while_its_reader_goes_trains_on) {
  const Scene scene;
  auto shell = in_shell(scene, "$AGENT sleep 1 | true; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(shell.wait(20s), 0);
}

TEST(output, a_trainer_whose_output_goes_to_a_full_disk_trains_on) {
  const Scene scene;
  auto shell = in_shell(scene, "$AGENT sh -c 'echo a; sleep 0.3; echo b; sleep 0.3; exit 3' > /dev/full");
  EXPECT_EQ(shell.wait(20s), 3);
}

TEST(output, a_stream_that_is_not_open_stays_so) {
  for (const char* closed : {">&-", "2>&-", ">&- 2>&-"}) {
    const Scene scene;
    const std::string script = "echo a; echo a >&2; sleep 0.3; echo b; echo b >&2; exit 3";
    auto shell = in_shell(scene, "$AGENT sh -c '" + script + "' " + closed);
    EXPECT_EQ(shell.wait(20s), 3) << closed;
  }
}

// A process that is not below the agent, and so is not ended with the trainer.
TEST(output, a_stray_process_that_holds_it_does_not_keep_the_agent) {
  const Scene scene;
  const std::string pid_file = scene.path("pid").string();
  auto agent = scene.run({}, {"sh", "-c",
                              "echo $$ > " + pid_file + "; echo before; while [ ! -e " + pid_file +
                                  ".go ]; do sleep 0.01; done; echo last words; exit 4"});
  ASSERT_TRUE(scene.wait_for_text(1, "before"));
  const std::string trainer = text_in(pid_file).substr(0, text_in(pid_file).find('\n'));
  const int held = ::open(("/proc/" + trainer + "/fd/1").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(held, 0);
  put_text(pid_file + ".go", "");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(agent.wait(), 4);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_THAT(scene.output(1), HasSubstr("last words\n"));
  ::close(held);
}

TEST(output, nothing_is_put_in_between_where_nobody_wants_it) {
  const Scene scene;
  auto agent = scene.run({.variables = {{"REPRISE_WATCH_OUTPUT", "false"}}},
                         {"sh", "-c", "readlink /proc/$$/fd/1; readlink /proc/$$/fd/2; exit 3"});
  EXPECT_EQ(agent.wait(), 3);
  const std::string file = scene.path("output-1-0").string();
  EXPECT_EQ(scene.output(1), file + "\n" + file + "\n");
  EXPECT_THAT(text_in(scene.termination_log(1, 0)), testing::Not(HasSubstr("\"output\"")));
}

TEST(last_output, of_a_failure_is_in_the_termination_message_alone) {
  const Scene scene;
  auto agent = scene.run({}, {"sh", "-c", "echo starting; echo 'RuntimeError: CUDA out of memory' >&2; exit 1"});
  EXPECT_EQ(agent.wait(), 1);
  const auto message = parse_object(text_in(scene.termination_log(1, 0)));
  ASSERT_TRUE(message);
  EXPECT_THAT(text_of(*message, "output").value_or(""), HasSubstr("CUDA out of memory"));
  EXPECT_THAT(text_in(scene.layout().record(1, 0)), testing::Not(HasSubstr("CUDA")));
  EXPECT_EQ(scene.termination(1), scene.record(1));
}

// Its kubelet cuts off the end of what is longer.
TEST(last_output, is_as_much_of_it_as_a_pod_of_so_many_containers_leaves_it) {
  Scene scene;
  Process agent = scene.run({.variables = {{"REPRISE_POD_ENTRIES", "6"}}},
                            {"sh", "-c", "for i in $(seq 300); do echo \"line number $i\"; done; exit 1"});
  ASSERT_EQ(agent.wait(), 1);
  const std::string text = text_in(scene.termination_log(1, 0));
  EXPECT_LE(text.size(), 12'288U / 7);
  EXPECT_THAT(text, HasSubstr("line number 300"));
  EXPECT_TRUE(scene.termination(1));
}

TEST(last_output, is_kept_back_where_nothing_failed) {
  for (const char* command : {"echo words; exit 0", "echo words; exit 85"}) {
    const Scene scene;
    auto agent = scene.run({}, {"sh", "-c", command});
    EXPECT_TRUE(agent.wait());
    EXPECT_THAT(text_in(scene.termination_log(1, 0)), testing::Not(HasSubstr("words")));
  }
  const Scene scene;
  auto agent = scene.run({}, {"sh", "-c", "trap 'exit 9' TERM; echo words; while :; do sleep 0.01; done"});
  ASSERT_TRUE(scene.wait_for_text(1, "words"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 9);
  EXPECT_THAT(text_in(scene.termination_log(1, 0)), testing::Not(HasSubstr("words")));
}

TEST(progress_file_place, is_private_and_goes_with_the_trainer) {
  const Scene scene;
  auto agent =
      scene.run({}, {"sh", "-c", "echo '{\"step\":1}' > $REPRISE_PROGRESS_FILE && echo $REPRISE_PROGRESS_FILE"});
  EXPECT_EQ(agent.wait(), 0);
  const std::string file = scene.output(1).substr(0, scene.output(1).find('\n'));
  EXPECT_TRUE(file.starts_with(scene.path("reprise-").string())) << file;
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path()));
}

TEST(progress_file_place, is_never_on_the_volume) {
  for (const char* given : {"", "/tmp", "/../volume/tmp/"}) {
    const Scene scene;
    const std::string place = scene.volume().string() + "/tmp";
    std::filesystem::create_directories(place);
    auto agent = scene.run({.variables = {{"TMPDIR", scene.volume().string() + given}}},
                           {"sh", "-c", "echo $REPRISE_PROGRESS_FILE; ls " + scene.volume().string() + " " + place});
    EXPECT_EQ(agent.wait(), 0);
    EXPECT_THAT(scene.output(1), HasSubstr("progress.json\n"));
    EXPECT_THAT(scene.output(1), testing::Not(HasSubstr("volume/reprise-")));
    EXPECT_THAT(scene.output(1), testing::Not(HasSubstr("volume/tmp/reprise-")));
    EXPECT_THAT(scene.output(1), testing::Not(HasSubstr("\nreprise-")));
  }
}

TEST(progress_file_place, of_the_user_stays) {
  const Scene scene;
  auto agent = scene.run({.variables = {{"REPRISE_PROGRESS_FILE", scene.path("mine").string()}}},
                         {"sh", "-c", "echo '{\"step\":1}' > $REPRISE_PROGRESS_FILE"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(text_in(scene.path("mine")), "{\"step\":1}\n");
}

}  // namespace
}  // namespace reprise::agent
