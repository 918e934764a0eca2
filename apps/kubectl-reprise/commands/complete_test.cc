#include "apps/kubectl-reprise/commands/complete.h"

#include "apps/kubectl-reprise/commands/commands.h"
#include "apps/kubectl-reprise/run/plugin_for_tests.h"
#include "apps/kubectl-reprise/terminal/pages.h"

#include <cctype>
#include <fstream>
#include <iterator>

namespace reprise::plugin {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> words_for(const std::vector<std::string>& typed) {
  const LookUp names = [](Names kind, const std::vector<std::string>&) -> std::vector<std::string> {
    if (kind == Names::Namespaces) return {"vision", "audio"};
    return {"finetune", "align"};
  };
  std::vector<std::string> words;
  for (const Candidate& each : complete(typed, names).words) words.push_back(each.word);
  return words;
}

TEST(Complete, what_may_stand_at_each_place_is_offered) {
  EXPECT_THAT(words_for({"st"}), ElementsAre("status"));
  EXPECT_THAT(words_for({"-n", "vision", "st"}), ElementsAre("status"));
  EXPECT_THAT(words_for({"suspend", ""}), ElementsAre("finetune", "align"));
  EXPECT_THAT(words_for({"suspend", "finetune", "al"}), ElementsAre("align"));
  EXPECT_THAT(words_for({"status", "-o", ""}), ElementsAre("wide", "json", "yaml", "name"));
  EXPECT_THAT(words_for({"status", "--output=j"}), ElementsAre("--output=json"));
  EXPECT_THAT(words_for({"status", "-n", "v"}), ElementsAre("vision"));
  EXPECT_THAT(words_for({"status", "--al"}), ElementsAre("--all-namespaces"));
  EXPECT_THAT(words_for({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(words_for({"help", "sus"}), ElementsAre("suspend"));
  EXPECT_THAT(words_for({"usage", ""}), ElementsAre("finetune", "align")) << "whatever is looked up";
  EXPECT_THAT(words_for({"version", ""}), IsEmpty());
}

TEST(Complete, every_command_and_every_flag_is_offered) {
  for (const Command& command : commands()) {
    EXPECT_THAT(words_for({""}), Contains(command.name));
    for (const Flag& flag : command.flags) EXPECT_THAT(words_for({command.name, "--"}), Contains("--" + flag.name));
  }
}

struct CompletePlugin : PluginTest {};

TEST_F(CompletePlugin, kubectl_is_answered_with_the_names_that_there_are) {
  answer("/apis/reprise.dev/v1alpha1/namespaces/audio/resumablejobs",
         list_of({job_json("finetune"), job_json("align")}));
  EXPECT_EQ(run({"__complete", "suspend", "-n", "audio", "f"}), kDone);
  EXPECT_EQ(out, "finetune\n:4\n");
  EXPECT_EQ(run({"__complete", "sta"}), kDone);
  EXPECT_EQ(out, "status\tshow pools and jobs on one screen\n:4\n");
  EXPECT_EQ(run({"__complete", "--kubeconfig", ""}), kDone);
  EXPECT_EQ(out, ":0\n");
}

TEST_F(CompletePlugin, each_shell_has_a_script_that_asks_the_plugin) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_EQ(run({"completion", shell}), kDone);
    EXPECT_THAT(out, HasSubstr("kubectl-reprise __complete"));
  }
  EXPECT_EQ(run({"completion", "tcsh"}), kUsage);
}

TEST(Pages, the_reference_is_what_the_table_of_commands_says) {
  std::ifstream file(REPRISE_REFERENCE);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  EXPECT_TRUE(page == reference_page())
      << "run: build/release/bin/kubectl-reprise __reference > docs/kubectl-reprise.md";
}

TEST(Pages, every_command_is_described_in_sentences_and_has_an_example_where_it_does_something) {
  for (const Command& command : commands()) {
    ASSERT_FALSE(command.description.empty()) << command.name;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(command.description.front())) != 0) << command.description;
    EXPECT_TRUE(command.description.ends_with('.')) << command.description;
    EXPECT_EQ(command.examples.empty(), command.name == "version") << command.name;
  }
}

TEST(Pages, the_manual_page_has_every_command_flag_and_exit_code) {
  const std::string page = manual_page();
  for (const Command& command : commands()) {
    EXPECT_THAT(page, HasSubstr(".SS kubectl reprise ")) << command.name;
    for (const Flag& flag : command.flags)
      EXPECT_THAT(page, HasSubstr("\\-\\-" + flag.name.substr(0, flag.name.find('-'))));
  }
  for (const ExitCodeMeaning& each : kExitCodes) EXPECT_THAT(page, HasSubstr(".B " + std::to_string(each.code) + "\n"));
}

}  // namespace
}  // namespace reprise::plugin
