// Trackers and links that name a whole checkpoint after a restore that has moved nothing itself, and those that stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/core/restore/references.h"
#include "agent/core/restore/restore.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing_support::put_text;
using testing_support::text_in;
using testing_support::torch_file;

constexpr const char* kIteration = "latest_checkpointed_iteration.txt";

class TrackersTest : public testing_support::LayoutFormatTest {
 protected:
  TrackersTest() {
    began();
    save(10);
  }
  void link(const std::string& text, const std::string& name) const {
    fs::create_directory_symlink(text, root() / name);
  }
  [[nodiscard]] std::string leads(const std::string& name) const {
    return fs::is_symlink(root() / name) ? fs::read_symlink(root() / name).string() : "";
  }
  void cut(const std::string& name) const { fs::resize_file(root() / name / "optimizer.pt", 20); }
};

class VerlTest : public TrackersTest {
 protected:
  VerlTest() {
    use("Plain");
    for (const int step : {10, 20})
      for (const char* file : {"data.pt", "actor.pt"})
        put_text(root() / ("global_step_" + std::to_string(step)) / file, torch_file());
  }
};

TEST_F(VerlTest, verl_s_number_is_that_of_the_newest_complete_one) {
  fs::resize_file(root() / "global_step_20/data.pt", 30);
  put_text(root() / kIteration, "20");
  const auto notes = restored().notes;
  EXPECT_EQ(text_in(root() / kIteration), "10");
  EXPECT_THAT(notes, Contains(HasSubstr("named global_step_20, which was put aside, and names")));
}

TEST_F(VerlTest, a_number_of_one_that_is_there_stays) {
  put_text(root() / kIteration, "10\n");
  static_cast<void>(restored());
  EXPECT_EQ(text_in(root() / kIteration), "10\n");
}

TEST_F(VerlTest, what_names_no_iteration_at_all_is_written_anew) {
  for (const char* text : {"", "  \n", "garbage", "30"}) {
    put_text(root() / kIteration, text);
    static_cast<void>(restored());
    EXPECT_EQ(text_in(root() / kIteration), "20") << '"' << text << '"';
    ++self_.attempt;
  }
  put_text(root() / kIteration, std::string(8, '\0'));
  static_cast<void>(restored());
  EXPECT_EQ(text_in(root() / kIteration), "20");
  ++self_.attempt;
  put_text(root() / kIteration, "release");
  static_cast<void>(restored());
  EXPECT_EQ(text_in(root() / kIteration), "release") << "Megatron's word for a model to start from";
}

TEST_F(TrackersTest, megatron_s_file_that_names_nothing_goes_where_nothing_is_complete) {
  fs::remove_all(root() / "out");
  for (const char* text : {"", "20"}) {
    put_text(root() / kIteration, text);
    static_cast<void>(restored());
    EXPECT_FALSE(exists(kIteration));
    ++self_.attempt;
  }
}

TEST_F(TrackersTest, what_a_killed_restore_has_left_dangling_the_next_one_puts_right) {
  save(20);
  cut("out/checkpoint-20");
  link("out/checkpoint-20", "latest");
  fs::create_directories(root() / "some/where");
  link("../../out/checkpoint-20", "some/where/kept");
  put_text(root() / "out/latest.txt", "checkpoint-20");
  put_text(root() / "LATEST", "out/checkpoint-20");
  fs::create_directories(root() / ".reprise/torn");
  fs::rename(root() / "out/checkpoint-20", root() / ".reprise/torn/out+checkpoint-20.2");
  const auto notes = restored().notes;
  EXPECT_EQ(leads("latest"), "out/checkpoint-10");
  EXPECT_EQ(leads("some/where/kept"), "../../out/checkpoint-10");
  EXPECT_EQ(text_in(root() / "out/latest.txt"), "checkpoint-10");
  EXPECT_EQ(text_in(root() / "LATEST"), "out/checkpoint-10");
  EXPECT_THAT(notes, Contains(HasSubstr("led to out/checkpoint-20, which was put aside before, and leads to")));
}

TEST_F(TrackersTest, where_all_were_put_aside_by_a_killed_restore_what_names_them_is_gone) {
  put_text(root() / "out/latest", "checkpoint-10");
  fs::create_directories(root() / ".reprise/quarantine");
  fs::rename(root() / "out/checkpoint-10", root() / ".reprise/quarantine/out+checkpoint-10.1");
  static_cast<void>(restored());
  EXPECT_FALSE(exists("out/latest"));
}

TEST_F(TrackersTest, a_tracker_of_another_job_s_volume_stays_as_it_is) {
  put_text(root() / "other/latest", "checkpoint-30");
  fs::create_directories(root() / "other/.reprise");
  fs::create_directories(root() / ".reprise/torn/other+checkpoint-30.1");
  static_cast<void>(restored());
  EXPECT_EQ(text_in(root() / "other/latest"), "checkpoint-30");
}

TEST_F(TrackersTest, what_was_put_aside_once_and_saved_again_is_named_with_right) {
  link("out/checkpoint-10", "latest");
  put_text(root() / "out/latest", "checkpoint-10");
  fs::create_directories(root() / ".reprise/torn/out+checkpoint-10.1");
  static_cast<void>(restored());
  EXPECT_EQ(leads("latest"), "out/checkpoint-10");
  EXPECT_EQ(text_in(root() / "out/latest"), "checkpoint-10");
}

TEST_F(TrackersTest, a_link_into_the_agent_s_own_directory_leads_to_the_newest_beside_where_that_came_from) {
  fs::create_directories(root() / ".reprise/torn/out+checkpoint-20.1");
  link(".reprise/torn/out+checkpoint-20.1", "latest");
  static_cast<void>(restored());
  EXPECT_EQ(leads("latest"), "out/checkpoint-10");
}

// File systems show logs of their own like that, and to read one has no end.
TEST_F(TrackersTest, a_file_with_a_dot_in_front_names_nothing) {
  put_text(root() / ".latest", "out/checkpoint-20");
  const auto references = read_references(*volume_, {});
  ASSERT_TRUE(references);
  EXPECT_TRUE(references->trackers.empty());
  static_cast<void>(restored());
  EXPECT_EQ(text_in(root() / ".latest"), "out/checkpoint-20");
}

TEST_F(TrackersTest, links_that_lead_in_a_circle_or_out_of_the_volume_end_nothing) {
  link("b", "a");
  link("a", "b");
  link("last", "last");
  link("/nowhere/at/all", "out/latest");
  link("../../..", "out/up");
  static_cast<void>(restored());
  EXPECT_EQ(leads("a"), "b");
  EXPECT_EQ(leads("out/latest"), "/nowhere/at/all");
  EXPECT_EQ(leads("out/up"), "../../..");
}

TEST_F(TrackersTest, a_newest_link_that_leads_in_a_circle_beside_checkpoints_leads_to_the_newest) {
  link("latest", "out/latest");
  static_cast<void>(restored());
  EXPECT_EQ(leads("out/latest"), "checkpoint-10");
}

TEST_F(TrackersTest, a_link_to_what_is_not_there_leads_to_the_newest_where_its_name_says_so) {
  link("out/checkpoint-90", "latest");
  link("out/checkpoint-90", "best");
  static_cast<void>(restored());
  EXPECT_EQ(leads("latest"), "out/checkpoint-10");
  EXPECT_EQ(leads("best"), "out/checkpoint-90") << "the trainer's business";
}

TEST_F(TrackersTest, a_file_that_names_what_is_not_there_names_the_newest_alike) {
  put_text(root() / "out/latest.txt", "checkpoint-90");
  put_text(root() / "last.txt", "checkpoint-10");
  put_text(root() / "latest.txt", "other_90");
  static_cast<void>(restored());
  EXPECT_EQ(text_in(root() / "out/latest.txt"), "checkpoint-10");
  EXPECT_EQ(text_in(root() / "last.txt"), "checkpoint-10") << "the script puts out/ in front";
  EXPECT_EQ(text_in(root() / "latest.txt"), "other_90");
}

TEST_F(TrackersTest, a_link_to_a_torn_one_that_is_left_in_place_leads_to_a_whole_one) {
  save(20);
  cut("out/checkpoint-20");
  ASSERT_TRUE(write_made(*volume_, {.order = 1, .name = "out/checkpoint-20", .job_uid = "another", .attempt = 1}));
  link("out/checkpoint-20", "latest");
  link("out/checkpoint-20", "best");
  fs::create_symlink("out/checkpoint-20/model.safetensors", root() / "last-weights.safetensors");
  const auto notes = restored().notes;
  EXPECT_TRUE(exists("out/checkpoint-20"));
  EXPECT_EQ(leads("latest"), "out/checkpoint-10");
  EXPECT_EQ(leads("best"), "out/checkpoint-20");
  EXPECT_TRUE(exists("last-weights.safetensors")) << "somebody starts from it";
  EXPECT_THAT(notes, Contains(HasSubstr("which does not count, and leads to")));
}

TEST_F(TrackersTest, tensorflow_s_file_that_leads_into_what_was_put_aside_is_gone) {
  save(20);
  cut("out/checkpoint-20");
  put_text(root() / "out/checkpoint", "model_checkpoint_path: \"checkpoint-20/ckpt\"\n");
  put_text(root() / "checkpoint", "");
  static_cast<void>(restored());
  EXPECT_FALSE(exists("out/checkpoint"));
  EXPECT_TRUE(exists("checkpoint"));
}

TEST_F(TrackersTest, a_tracker_of_two_libraries_spares_what_either_means) {
  const std::vector<std::string> names{"iter_0000020", "global_step20", "global_step_20", "global_step_30"};
  put_text(root() / kIteration, "20");
  const auto references = read_references(*volume_, {});
  ASSERT_TRUE(references);
  EXPECT_EQ(named_by_trackers(*volume_, *references, names),
            (std::set<std::string>{"iter_0000020", "global_step20", "global_step_20"}));
}

}  // namespace
}  // namespace reprise::agent
