#include "apps/reprise/lint_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/reprise/lint/samples_for_tests.h"
#include "apps/reprise/text_file.h"

namespace reprise::apps {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct LintCommand : testing::Test {
  fs::path folder = fs::path(testing::TempDir()) / ("reprise-lint-command-" + std::to_string(::getpid()));
  std::string out, err;
  LintCommand() { fs::create_directories(folder); }
  ~LintCommand() override { fs::remove_all(folder); }

  void write(const char* name, std::string_view text) const { std::ofstream(folder / name) << text; }
  int lint(std::vector<std::string> arguments) {
    std::istringstream in;
    std::ostringstream to_out;
    std::ostringstream to_err;
    arguments.insert(arguments.begin(), {"-f", folder.string()});
    const int code = run_lint(arguments, in, to_out, to_err);
    out = to_out.str();
    err = to_err.str();
    return code;
  }
};

TEST_F(LintCommand, a_loop_of_links_is_named_and_hides_nothing) {
  write("pool.yaml", lint::exchanged(lint::kPool, "replicas: 4", "replica: 4"));
  fs::create_symlink("loop.yaml", folder / "loop.yaml");
  fs::create_symlink("loop", folder / "loop");
  fs::create_directory(folder / "below");
  fs::create_directory_symlink("..", folder / "below" / "up");
  fs::create_symlink("nowhere", folder / "below" / "dangling.yaml");
  EXPECT_EQ(lint({}), 2);
  EXPECT_THAT(out, HasSubstr("write replicas"));
  EXPECT_THAT(err,
              AllOf(HasSubstr("loop.yaml: cannot be read: Too many levels of symbolic links"),
                    HasSubstr("dangling.yaml: cannot be read: No such file or directory"), Not(HasSubstr("/loop:"))));
}

TEST_F(LintCommand, what_is_mended_is_written_through_a_link) {
  write("pool.txt", lint::exchanged(lint::kPool, "replicas: 4", "replica: 4"));
  fs::create_symlink("pool.txt", folder / "pool.yaml");
  EXPECT_EQ(lint({"--fix"}), 0) << err;
  EXPECT_TRUE(fs::is_symlink(folder / "pool.yaml"));
  EXPECT_EQ(text_of_file(folder / "pool.txt"), lint::kPool);
}

TEST_F(LintCommand, nothing_to_check_is_said_and_no_error) {
  write("empty.yaml", "");
  write("other.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n");
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{{}, {"--strict"}}) {
    EXPECT_EQ(lint(flags), 0) << err;
    EXPECT_EQ(err, "reprise lint: warning: nothing was checked: there is no GpuPool, ResumableJob or NodePool in " +
                       folder.string() +
                       "\nreprise lint: 0 objects checked, 1 of other kinds left alone: 0 errors, 0 warnings, 0 "
                       "advice\n");
  }
}

TEST_F(LintCommand, a_misspelt_kind_fails_and_a_wrong_group_fails_when_it_is_strict) {
  write("pool.yaml", lint::exchanged(lint::kPool, "kind: GpuPool", "kind: GpuPol"));
  EXPECT_EQ(lint({}), 1) << out;
  EXPECT_THAT(err, HasSubstr("nothing was checked"));
  write("pool.yaml", lint::exchanged(lint::kPool, "reprise.dev", "reprise.io"));
  EXPECT_EQ(lint({}), 0) << out;
  EXPECT_EQ(lint({"--strict"}), 1) << out;
  write("job.yaml", lint::kJob);
  EXPECT_EQ(lint({}), 0) << out;
  EXPECT_THAT(err, AllOf(HasSubstr("1 object checked, 1 of other kinds left alone: 0 errors, 1 warning"),
                         Not(HasSubstr("nothing was checked"))));
}

TEST_F(LintCommand, files_are_named_by_either_flag_and_what_keeps_one_from_being_read_is_said) {
  write("pool.yaml", lint::kPool);
  write("job.txt", lint::kJob);
  for (const char* flag : {"--file", "--filename"}) {
    EXPECT_EQ(lint({flag, (folder / "job.txt").string()}), 0) << err;
    EXPECT_THAT(err, HasSubstr("2 objects checked")) << flag;
  }
  EXPECT_EQ(lint({"-f", (folder / "none.yaml").string()}), 2);
  EXPECT_EQ(err, "reprise lint: " + (folder / "none.yaml").string() + ": cannot be read: No such file or directory\n");
}

TEST_F(LintCommand, a_directory_without_manifests_is_a_mistake) {
  EXPECT_EQ(lint({}), 2);
  EXPECT_THAT(err, HasSubstr("holds no file *.yaml, *.yml or *.json"));
}

}  // namespace
}  // namespace reprise::apps
