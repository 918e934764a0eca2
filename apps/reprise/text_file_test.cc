#include "apps/reprise/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace reprise::apps {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

struct TextFile : testing::Test {
  fs::path folder = fs::path(testing::TempDir()) / ("reprise-text-file-" + std::to_string(::getpid()));
  fs::path file = folder / "a.yaml";
  TextFile() {
    fs::create_directories(folder);
    std::ofstream(file) << "before\n";
  }
  ~TextFile() override { fs::remove_all(folder); }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& each : fs::directory_iterator(folder)) found.push_back(each.path().filename());
    return found;
  }
};

TEST_F(TextFile, a_file_that_is_replaced_keeps_its_mode) {
  fs::permissions(file, fs::perms(0640));
  ASSERT_TRUE(replace_text_file(file, "after\n"));
  EXPECT_EQ(text_of_file(file), "after\n");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
  EXPECT_THAT(names(), UnorderedElementsAre("a.yaml"));
}

TEST_F(TextFile, a_link_is_followed_and_stays_one) {
  fs::create_symlink("a.yaml", folder / "link.yaml");
  ASSERT_TRUE(replace_text_file(folder / "link.yaml", "after\n"));
  EXPECT_TRUE(fs::is_symlink(folder / "link.yaml"));
  EXPECT_EQ(text_of_file(file), "after\n");
}

TEST_F(TextFile, a_file_that_cannot_be_written_whole_is_as_it_was) {
  struct rlimit usual = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small = {100, usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto done = replace_text_file(file, std::string(200, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &usual), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("a.yaml: cannot be written: File too large"));
  EXPECT_EQ(text_of_file(file), "before\n");
  EXPECT_THAT(names(), UnorderedElementsAre("a.yaml"));
}

}  // namespace
}  // namespace reprise::apps
