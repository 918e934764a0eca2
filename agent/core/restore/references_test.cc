// A trainer finds these by its own links and small files after a restore.
#include "agent/core/restore/references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::put_text;
using testing_support::text_in;
using testing_support::torch_file;

class ReferencesTest : public testing_support::LayoutFormatTest {
 protected:
  ReferencesTest() {
    began();
    for (const int step : {10, 20}) save(step);
    tear("out/checkpoint-20");
  }
  void link(const std::string& text, const std::string& name) const {
    fs::create_directory_symlink(text, root() / name);
  }
  [[nodiscard]] std::string leads(const std::string& name) const { return fs::read_symlink(root() / name).string(); }
};

TEST_F(ReferencesTest, a_link_to_what_was_put_aside_leads_to_the_newest_complete_one_and_the_record_says_so) {
  link("out/checkpoint-20", "latest");
  link((root() / "out/checkpoint-20").string(), "absolute");
  fs::create_directories(root() / "best");
  link("../out/checkpoint-20", "best/one");
  link("checkpoint-10", "out/older");
  const auto notes = restored().notes;
  EXPECT_EQ(leads("latest"), "out/checkpoint-10");
  EXPECT_EQ(leads("absolute"), (root() / "out/checkpoint-10").string());
  EXPECT_EQ(leads("best/one"), "../out/checkpoint-10");
  EXPECT_EQ(leads("out/older"), "checkpoint-10");
  EXPECT_THAT(notes, Contains(HasSubstr("link latest led to out/checkpoint-20, which was put aside, and leads to "
                                        "out/checkpoint-10 now")));
}

TEST_F(ReferencesTest, a_link_to_a_link_leads_there_too) {
  link("checkpoint-20", "out/newest");
  link("out/newest", "latest");
  static_cast<void>(restored());
  EXPECT_EQ(leads("out/newest"), "checkpoint-10");
  EXPECT_EQ(fs::canonical(root() / "latest"), fs::canonical(root() / "out/checkpoint-10"));
}

TEST_F(ReferencesTest, a_link_with_dots_in_it_leads_where_the_system_follows_it) {
  fs::create_directories(root() / "deep/runs");
  link("../out", "deep/current");
  link("../../out", "deep/runs/now");
  const std::string self = root().filename().string();
  const std::pair<std::string, std::string> links[] = {{"./out/./checkpoint-20/.", "a"},
                                                       {"out/../out/checkpoint-20", "b"},
                                                       {"deep/runs/../../out/checkpoint-20/", "c"},
                                                       {"deep/current/checkpoint-20", "d"},
                                                       {"deep/runs/now/../out/checkpoint-20", "e"},
                                                       {"../" + self + "/out/checkpoint-20", "f"},
                                                       {"out/checkpoint-20/../checkpoint-10", "g"},
                                                       {"checkpoint-10/../checkpoint-20", "out/h"},
                                                       {"./a", "latest"},
                                                       {"deep/../b/.", "last"},
                                                       {"deep/current/../out/./checkpoint-20", "newest"}};
  for (const auto& [text, name] : links) link(text, name);
  static_cast<void>(restored());
  for (const auto& [text, name] : links) {
    if (!fs::is_symlink(root() / name)) continue;  // gone
    std::error_code problem;
    EXPECT_EQ(fs::canonical(root() / name, problem), fs::canonical(root() / "out/checkpoint-10")) << name;
  }
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "out/h", "latest"})
    EXPECT_TRUE(fs::is_symlink(root() / name)) << name;
}

TEST_F(ReferencesTest, what_a_link_with_dots_in_it_leads_to_or_through_is_not_deleted) {
  fs::remove_all(root() / "out");
  fs::create_directories(root() / "deep/below");
  const std::pair<std::string, std::string> links[] = {{"./out/../out/./checkpoint-11/.", "a"},
                                                       {"deep/below/../../out/checkpoint-12/../checkpoint-12", "b"},
                                                       {"./a", "c"},
                                                       {"out/checkpoint-13/../checkpoint-90", "d"}};
  for (const auto& [text, name] : links) link(text, name);
  auto watching = watch(1);
  for (const int step : {11, 12, 13, 15, 90, 91}) {
    save(step);
    watching.look();
  }
  for (const int step : {11, 12, 13, 90}) EXPECT_TRUE(exists("out/checkpoint-" + std::to_string(step))) << step;
  EXPECT_FALSE(exists("out/checkpoint-15"));
}

TEST_F(ReferencesTest, where_no_complete_one_is_left_links_and_files_that_name_one_are_gone) {
  link("checkpoint-20", "out/newest");
  link("out/newest", "latest");
  put_text(root() / "out/latest.txt", "checkpoint-10");
  env_.resume = ResumePolicy::FromScratch;
  const auto notes = restored().notes;
  for (const char* name : {"out/newest", "latest", "out/latest.txt"})
    EXPECT_FALSE(fs::is_symlink(root() / name) || exists(name)) << name;
  EXPECT_THAT(notes, Contains(HasSubstr("link latest led to out/newest, which was put aside, and is gone")));
}

TEST_F(ReferencesTest, a_file_that_names_what_was_put_aside_names_the_newest_complete_one) {
  put_text(root() / "out/latest.txt", "checkpoint-20\n");
  put_text(root() / "LATEST", (root() / "out/checkpoint-20").string());
  put_text(root() / "out/last", "");
  put_text(root() / "last.txt", "something else");
  const auto notes = restored().notes;
  EXPECT_EQ(text_in(root() / "out/latest.txt"), "checkpoint-10");
  EXPECT_EQ(text_in(root() / "LATEST"), (root() / "out/checkpoint-10").string());
  EXPECT_EQ(text_in(root() / "out/last"), "checkpoint-10");
  EXPECT_EQ(text_in(root() / "last.txt"), "something else");
  EXPECT_THAT(notes, Contains(HasSubstr("out/latest.txt named out/checkpoint-20, which was put aside, and names "
                                        "out/checkpoint-10 now")));
}

TEST_F(ReferencesTest, an_emptied_file_that_can_name_none_of_what_lies_beside_it_is_gone) {
  put_text(root() / "out/latest_checkpointed_iteration.txt", "");
  EXPECT_THAT(restored().notes, Contains(HasSubstr("out/latest_checkpointed_iteration.txt was empty, and is gone")));
  EXPECT_FALSE(exists("out/latest_checkpointed_iteration.txt"));
}

TEST_F(ReferencesTest, a_link_within_a_checkpoint_that_is_left_where_it_lies_stays) {
  save(30);
  fs::create_symlink("../checkpoint-20/optimizer.pt", root() / "out/checkpoint-30/base.bin");
  link("../checkpoint-10", "out/checkpoint-20/shared");
  static_cast<void>(restored());
  EXPECT_TRUE(exists("out/checkpoint-30/base.bin")) << "follows the link";
  EXPECT_EQ(leads("out/checkpoint-20/shared"), "../checkpoint-10");
}

class FromScratch : public testing_support::LayoutFormatTest {
 protected:
  FromScratch() {
    put_text(root() / "epoch=9-step=5000.ckpt", torch_file());
    put_text(root() / "last.ckpt", torch_file());
    env_.resume = ResumePolicy::FromScratch;
  }
};

TEST_F(FromScratch, what_stood_for_the_newest_checkpoint_is_put_aside_with_it) {
  put_text(root() / "checkpoint_last.pt", torch_file());
  put_text(root() / "lastly.pt", torch_file());
  auto watching = watch();
  EXPECT_FALSE(exists("last.ckpt"));
  EXPECT_TRUE(exists(".reprise/quarantine/last.ckpt.2"));
  EXPECT_FALSE(exists("checkpoint_last.pt"));
  EXPECT_TRUE(exists("lastly.pt")) << "of somebody else";
  watching.look();
  EXPECT_FALSE(watching.seen().newest);
  EXPECT_THAT(read_made(*volume_).value(), IsEmpty());
}

TEST_F(FromScratch, where_nothing_moves_it_counts_no_more_either) {
  calls_->rename_problem = EOPNOTSUPP;
  auto watching = watch();
  fs::remove(root() / "epoch=9-step=5000.ckpt");
  watching.look();
  EXPECT_FALSE(watching.seen().newest);
  EXPECT_THAT(read_made(*volume_).value(), IsEmpty());
}

}  // namespace
}  // namespace reprise::agent
