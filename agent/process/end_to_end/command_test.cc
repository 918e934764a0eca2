// The command line, how commands are found, and the binary itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing_support::agent_binary;
using testing_support::Process;
using testing_support::put_text;
using testing_support::Scene;
using testing_support::text_in;
using testing_support::Variables;

Process start(const Scene& scene, std::vector<std::string> words, Variables variables = {}) {
  words.insert(words.begin(), agent_binary());
  return Process(
      {.words = words, .variables = std::move(variables), .output = scene.path("said"), .input = {}, .directory = {}});
}

TEST(command, is_looked_for_in_the_path) {
  const Scene scene;
  std::filesystem::create_directory(scene.path("bin"));
  put_text(scene.path("bin/my-trainer"), "#!/bin/sh\necho found me\n");
  std::filesystem::permissions(scene.path("bin/my-trainer"), std::filesystem::perms::owner_all);
  auto agent = scene.run({.variables = {{"PATH", scene.path("bin").string() + ":/usr/bin:/bin"}}}, {"my-trainer"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(1), HasSubstr("found me"));
}

TEST(command, that_is_torchrun_gives_its_processes_the_grace_unless_the_user_says_otherwise) {
  const Scene scene;
  const std::vector<std::string> shows = {"sh", "-c", "echo [$TORCH_ELASTIC_SHUTDOWN_TIMEOUT]"};
  auto agent = scene.run({.variables = {{"REPRISE_CHECKPOINT_GRACE_SECONDS", "110"}}}, shows);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(1), HasSubstr("[110]"));
  auto other = scene.run({.attempt = 2, .variables = {{"TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "7"}}}, shows);
  EXPECT_EQ(other.wait(), 0);
  EXPECT_THAT(scene.output(2), HasSubstr("[7]"));
}

TEST(command, may_be_relative) {
  const Scene scene;
  put_text(scene.path("here/my-trainer"), "#!/bin/sh\necho found me\n");
  std::filesystem::permissions(scene.path("here/my-trainer"), std::filesystem::perms::owner_all);
  auto agent = scene.run({.directory = scene.path("here")}, {"./my-trainer"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(1), HasSubstr("found me"));
}

TEST(command, that_is_not_there_ends_with_127_and_says_so) {
  const Scene scene;
  auto agent = scene.run({}, {"no-such-trainer"});
  EXPECT_EQ(agent.wait(), 127);
  EXPECT_THAT(scene.output(1), HasSubstr("cannot start \"no-such-trainer\": No such file or directory"));
  EXPECT_THAT(scene.output(1), HasSubstr("PATH="));
  const auto record = scene.record(1);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->exit_code, 127);
  EXPECT_EQ(record->reason, "CannotStart");
  EXPECT_THAT(record->message, HasSubstr("no-such-trainer"));
  EXPECT_FALSE(record->finished);
}

TEST(command, that_cannot_be_executed_ends_with_126) {
  const Scene scene;
  auto agent = scene.run({}, {scene.volume().string()});
  EXPECT_EQ(agent.wait(), 126);
  EXPECT_THAT(scene.record(1)->message, HasSubstr("Permission denied"));
}

TEST(usage, that_is_wrong_ends_with_2_and_shows_how) {
  const Scene scene;
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"start"},
                                                    {"run"},
                                                    {"run", "--"},
                                                    {"run", "sleep", "1"},
                                                    {"install"},
                                                    {"install", "a", "b"},
                                                    {"pause", "now"},
                                                    {"version", "x"}};
  for (const auto& words : wrong) {
    auto agent = start(scene, words);
    EXPECT_EQ(agent.wait(), 2);
  }
  EXPECT_THAT(text_in(scene.path("said")), HasSubstr("usage: reprise-agent run -- COMMAND"));
}

TEST(usage, a_wrong_environment_ends_with_2_and_names_the_variable) {
  const Scene scene;
  for (const auto& [name, value] : Variables{{"REPRISE_ATTEMPT", "zero"}, {"REPRISE_CHECKPOINT_FORMAT", "Pickle"}}) {
    auto agent = scene.run({.variables = {{name, value}}}, {"true"});
    EXPECT_EQ(agent.wait(), 2);
    EXPECT_THAT(scene.output(1), HasSubstr("environment variable " + name + ": found \"" + value + "\", allowed: "));
  }
}

TEST(version, is_printed) {
  const Scene scene;
  auto agent = start(scene, {"version"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(text_in(scene.path("said")), testing::MatchesRegex("reprise-agent [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(install, puts_a_working_copy_in_place_of_an_older_one) {
  const Scene scene;
  put_text(scene.path("bin/reprise-agent"), "older");
  auto agent = start(scene, {"install", scene.path("bin").string()});
  EXPECT_EQ(agent.wait(), 0);
  struct stat info {};
  ASSERT_EQ(::stat(scene.path("bin/reprise-agent").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0755U);
  EXPECT_EQ(text_in(scene.path("bin/reprise-agent")), text_in(agent_binary()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scene.path("bin")), {}), 1);
  Process copy({.words = {scene.path("bin/reprise-agent").string(), "version"},
                .variables = {},
                .output = {},
                .input = {},
                .directory = {}});
  EXPECT_EQ(copy.wait(), 0);
}

TEST(install, into_a_directory_that_is_not_there_fails_with_its_name) {
  const Scene scene;
  auto agent = start(scene, {"install", scene.path("missing").string()});
  EXPECT_EQ(agent.wait(), 1);
  EXPECT_THAT(text_in(scene.path("said")), HasSubstr("missing"));
}

#ifdef REPRISE_AGENT_IS_STATIC
TEST(binary, is_small_and_needs_no_library_of_its_image) {
  const std::string bytes = text_in(agent_binary());
  EXPECT_LT(bytes.size(), std::size_t{6} * 1024 * 1024);
  EXPECT_EQ(bytes.find("/lib64/ld-linux"), std::string::npos);  // no dynamic loader is asked for
  const Scene scene;
  auto agent = scene.run({.variables = {{"LD_PRELOAD", "/nowhere.so"}}}, {"true"});
  EXPECT_EQ(agent.wait(), 0);
}
#endif

}  // namespace
}  // namespace reprise::agent
