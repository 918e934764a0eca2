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

TEST_F(LintCommand, a_directory_without_manifests_is_a_mistake) {
  EXPECT_EQ(lint({}), 2);
  EXPECT_THAT(err, HasSubstr("holds no file *.yaml, *.yml or *.json"));
}

}  // namespace
}  // namespace reprise::apps
