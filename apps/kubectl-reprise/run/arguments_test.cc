#include "apps/kubectl-reprise/commands/commands.h"
#include "apps/kubectl-reprise/run/plugin_for_tests.h"

namespace reprise::plugin {
namespace {

using ::testing::HasSubstr;

struct ArgumentsTest : PluginTest {
  void expect_wrong(const std::vector<std::string>& arguments, const std::string& said) {
    EXPECT_EQ(run(arguments), kUsage) << said;
    EXPECT_THAT(err, HasSubstr(said));
    EXPECT_EQ(out, "");
    EXPECT_TRUE(transport.requests().empty());
  }
};

TEST_F(ArgumentsTest, what_is_wrong_is_named_and_nothing_is_asked) {
  expect_wrong({}, "Usage: kubectl reprise COMMAND");
  expect_wrong({"stat"}, "kubectl reprise: unknown command 'stat'; ");
  expect_wrong({"unheard"}, "kubectl reprise: unknown command 'unheard'; must be status, ");
  expect_wrong({"help", "stat"}, "unknown command 'stat'");
  expect_wrong({"status", "--all"}, "unknown flag '--all'");
  expect_wrong({"status", "-o", "xml"}, "--output: found 'xml', must be wide, json, yaml or name");
  expect_wrong({"status", "-A=maybe"}, "--all-namespaces: found 'maybe', must be true or false");
  expect_wrong({"status", "-n", "a", "-n", "b"}, "--namespace: given more than once");
  expect_wrong({"status", "-n", ""}, "--namespace: a value is missing");
  expect_wrong({"version", "x"}, "unknown argument 'x'");
  expect_wrong({"why"}, "missing argument: NAME");
  expect_wrong({"why", "node/x"}, "found 'node/x', must be NAME, job/NAME or pool/NAME");
  expect_wrong({"interrupt", "pool/t4"}, "found 'pool/t4', must be a job: NAME or job/NAME");
  expect_wrong({"cost", "--since", "5x"}, "--since: found '5x', must be a duration such as 90m or 24h, at most 720h");
  expect_wrong({"top", "--interval", "5"}, "--interval: found '5', must be a duration such as 2s, at least 500ms");
  expect_wrong({"top", "--interval", "1ms"}, "--interval: found '1ms'");
  expect_wrong({"interrupt", "x", "--timeout", "soon"}, "--timeout: found 'soon', must be a duration such as 90s");
  EXPECT_TRUE(chosen.empty()) << "no kubeconfig was looked for";
}

TEST_F(ArgumentsTest, what_was_probably_meant_is_asked) {
  expect_wrong({"staus"}, "unknown command 'staus'; did you mean 'status'? It must be status, ");
  expect_wrong({"help", "checkpoint"}, "did you mean 'checkpoints'?");
}

TEST_F(ArgumentsTest, flags_are_written_as_kubectl_takes_them) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"status", "-n=audio"},
                                             {"status", "-naudio"},
                                             {"status", "-n", "audio", "-A=false"},
                                             {"-n=audio", "status"},
                                             {"--namespace", "audio", "status"},
                                             {"status", "--all-namespaces=false", "--namespace=audio"}}) {
    EXPECT_EQ(run(words), kNotFound);
    EXPECT_THAT(transport.requests().back().path_and_query, HasSubstr("/namespaces/audio/resumablejobs")) << words[1];
  }
  EXPECT_EQ(run({"status", "-A", "x"}), kNotFound);
  EXPECT_THAT(transport.requests().back().path_and_query, HasSubstr("v1alpha1/resumablejobs"))
      << "a switch takes no word";
}

TEST_F(ArgumentsTest, every_command_has_help_that_names_its_flags) {
  for (const Command& each : commands()) {
    EXPECT_EQ(run({each.name, "--help"}), kDone);
    const std::string help = out;
    for (const Flag& flag : each.flags) EXPECT_THAT(help, HasSubstr("--" + flag.name)) << each.name;
    EXPECT_EQ(run({"help", each.name}), kDone);
    EXPECT_EQ(out, help);
    EXPECT_FALSE(each.summary.ends_with('.')) << each.name;
  }
  EXPECT_EQ(run({"--help"}), kDone);
  for (const Command& each : commands()) EXPECT_THAT(out, HasSubstr("\n  " + each.name + " "));
  EXPECT_TRUE(chosen.empty());
}

TEST_F(ArgumentsTest, no_flag_of_a_command_hides_a_global_one) {
  for (const Command& command : commands()) {
    for (const Flag& own : command.flags) {
      for (const Flag& global : global_flags()) {
        EXPECT_NE(own.name, global.name) << command.name;
        EXPECT_TRUE(own.letter == 0 || own.letter != global.letter) << command.name << " --" << own.name;
      }
    }
  }
}

TEST_F(ArgumentsTest, errors_of_the_api_server_have_exit_codes_of_their_own) {
  using runtime::ErrorClass;
  EXPECT_EQ(exit_code_of(ErrorClass::NotFound), kNotFound);
  EXPECT_EQ(exit_code_of(ErrorClass::Forbidden), kNotAllowed);
  EXPECT_EQ(exit_code_of(ErrorClass::Unauthorized), kNotAllowed);
  EXPECT_EQ(exit_code_of(ErrorClass::Unavailable), kFailed);
}

}  // namespace
}  // namespace reprise::plugin
