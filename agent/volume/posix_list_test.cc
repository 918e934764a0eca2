// Lists, and what is said of many files at one go: the same as of each by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing_support::put_text;

class PosixListTest : public testing_support::VolumeTest {
 protected:
  // Of each kind one.
  PosixListTest() {
    put_text(root() / "step-1/weights", "12345");
    put_text(root() / "step-1/below/more", "123");
    put_text(root() / "elsewhere/shard", "1234567");
    fs::create_symlink("weights", root() / "step-1/link");
    fs::create_directory_symlink("../elsewhere", root() / "step-1/linked");
    fs::create_symlink("nowhere", root() / "step-1/dangling");
    fs::create_symlink("loop", root() / "step-1/loop");
    EXPECT_EQ(::mkfifo((root() / "step-1/pipe").c_str(), 0600), 0);
  }
  [[nodiscard]] const VolumeFiles& files() const { return volume_->files; }
};

TEST_F(PosixListTest, all_entries_of_a_directory_are_told_as_each_by_itself) {
  const auto listed = files().list_infos(root() / "step-1").value();
  std::vector<std::string> names;
  for (const EntryInfo& each : listed) {
    names.push_back(each.name);
    const auto alone = files().look(root() / "step-1" / each.name, Links::Follow).value();
    EXPECT_EQ(each.info, alone.value_or(FileInfo{})) << each.name;
    EXPECT_FALSE(each.is_closed);
  }
  EXPECT_EQ(names, files().list(root() / "step-1").value());
  const auto by_default = files().VolumeFiles::list_infos(root() / "step-1").value();
  ASSERT_EQ(by_default.size(), listed.size());
  for (std::size_t at = 0; at < listed.size(); ++at) EXPECT_EQ(by_default[at].info, listed[at].info);
}

TEST_F(PosixListTest, of_a_directory_with_too_many_entries_nothing_is_asked) {
  EXPECT_TRUE(files().list_infos(root() / "step-1", 7));
  EXPECT_EQ(files().list_infos(root() / "step-1", 6).error().error_class, runtime::ErrorClass::Invalid);
  EXPECT_EQ(files().VolumeFiles::list_infos(root() / "step-1", 6).error().error_class, runtime::ErrorClass::Invalid);
}

TEST_F(PosixListTest, a_directory_that_is_not_there_has_no_entries_and_a_file_is_none) {
  EXPECT_THAT(files().list_infos(root() / "step-2").value(), testing::IsEmpty());
  EXPECT_EQ(files().list_infos(root() / "step-1/weights").error().error_class, runtime::ErrorClass::Invalid);
}

TEST_F(PosixListTest, a_size_is_that_of_all_files_below_and_of_those_that_links_lead_to) {
  EXPECT_EQ(files().size_of(root() / "step-1"), 5 + 3 + 5);
  EXPECT_EQ(files().size_of(root() / "step-1/weights"), 5);
  EXPECT_EQ(files().size_of(root() / "step-2"), 0);
}

TEST_F(PosixListTest, many_paths_below_a_directory_are_told_as_each_by_itself) {
  const std::vector<std::string> paths{"",         "step-1", "step-1/below/more", "step-1/link", "step-1/dangling",
                                       "step-2/no"};
  for (const Links links : {Links::Follow, Links::Stay}) {
    std::vector<std::size_t> told;
    const auto all = files().look_below(root(), paths, links, [&](std::size_t at, const auto& info) {
      told.push_back(at);
      EXPECT_EQ(info, files().look(root() / paths[at], links).value()) << paths[at];
      return true;
    });
    EXPECT_TRUE(all.value());
    EXPECT_THAT(told, ElementsAre(0, 1, 2, 3, 4, 5));
  }
  int told = 0;
  EXPECT_FALSE(files().look_below(root(), paths, Links::Stay, [&](auto, const auto&) { return ++told < 2; }).value());
  EXPECT_EQ(told, 2);
  EXPECT_FALSE(files().look_below(root() / "nowhere", paths, Links::Stay, [](auto, const auto&) { return true; }));
}

}  // namespace
}  // namespace reprise::agent
