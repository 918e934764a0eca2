// Small files of any name by which a trainer finds its newest checkpoint, after a restore that has put that aside.
#include "agent/core/trackers/tracker_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing_support::plain_file;
using testing_support::put_text;
using testing_support::text_in;

// step_10 is whole, step_20 is torn.
class TrackerTextTest : public testing_support::LayoutFormatTest {
 protected:
  TrackerTextTest() {
    began();
    for (const char* name : {"step_10", "step_20"}) checkpoint(name);
    fs::remove(root() / "step_20/_COMPLETE");
  }
  [[nodiscard]] std::string now(const std::string& file) const {
    return exists(file) ? text_in(root() / file) : std::string("gone");
  }
  // The text of the file after a restore.
  [[nodiscard]] std::string mended(const std::string& file, const std::string& text) {
    put_text(root() / file, text);
    static_cast<void>(restored());
    EXPECT_FALSE(exists("step_20"));
    const std::string after = now(file);
    fs::remove(root() / file);
    fs::create_directories(root() / "step_20");
    ++self_.attempt;
    return after;
  }
};

TEST_F(TrackerTextTest, a_file_of_any_name_that_names_what_was_put_aside_names_the_newest_complete_one) {
  const std::string absolute = (root() / "step_20").string(), other = (root() / "step_10").string();
  const std::vector<std::vector<std::string>> cases{
      {"resume.txt", "step_20\n", "step_10\n"},
      {"pointer", "step_20", "step_10"},
      {"latest_ckpt.txt", "./step_20/", "./step_10/"},
      {"last_checkpoint.txt", absolute, other},
      {"checkpoint.txt", "/elsewhere/mounted/step_20", "/elsewhere/mounted/step_10"},
      {"current.url", "s3://bucket/run/step_20", "s3://bucket/run/step_10"},
      {"latest.json", R"({"latest": "step_20"})", R"({"latest": "step_10"})"},
      {"state.json", R"({"path": "step_20", "step": 20, "note": "x"})",
       R"({"path": "step_10", "step": 10, "note": "x"})"},
      {"ckpt.json", R"({"last": {"dir": "step_20", "globalStep": 20}, "best": "step_10"})",
       R"({"last": {"dir": "step_10", "globalStep": 10}, "best": "step_10"})"},
      {"resume.yaml", "checkpoint: step_20\nstep: 20\n", "checkpoint: step_10\nstep: 10\n"},
      {"resume.env", "CKPT=\"step_20\"\n", "CKPT=\"step_10\"\n"},
      {"last.txt", "step_20 20\n", "step_10 10\n"},
      {"latest", R"({"name": "step_20"})", R"({"name": "step_10"})"},
      {"a.json", "\"step_20\"", "\"step_10\""},
      {"latest.dict", "{'path': 'step_20', 'best': None}", "{'path': 'step_10', 'best': None}"},
      {"resume.toml", "[resume]\npath = \"step_20\"\nstep = 20\n", "[resume]\npath = \"step_10\"\nstep = 10\n"},
      {"latest.txt", "step_20\r\n", "step_10"},
      {"where.txt", "step_20\r\n", "step_10\r\n"},
  };
  for (const auto& each : cases) EXPECT_EQ(mended(each[0], each[1]), each[2]) << each[0] << ": " << each[1];
}

TEST_F(TrackerTextTest, the_record_says_what_a_file_named_and_names) {
  put_text(root() / "resume.txt", "step_20");
  EXPECT_THAT(restored().notes,
              Contains(HasSubstr("resume.txt named step_20, which was put aside, and names step_10 now")));
}

TEST_F(TrackerTextTest, a_step_alone_names_a_checkpoint_where_the_name_of_the_file_or_the_key_tells) {
  const std::vector<std::vector<std::string>> cases{
      {"last_step.txt", "20\n", "10\n"},
      {"resume", "000020", "000010"},
      {"latest", "20", "10"},
      {"latest.json", R"({"step": 20})", R"({"step": 10})"},
      {"x.json", R"({"iteration": 20})", R"({"iteration": 10})"},
      {"state.yml", "global_step: 20\nlr: 0.1\n", "global_step: 10\nlr: 0.1\n"},
      {"counter", "20", "10"},
  };
  for (const auto& each : cases) EXPECT_EQ(mended(each[0], each[1]), each[2]) << each[0] << ": " << each[1];
}

TEST_F(TrackerTextTest, what_names_none_that_was_put_aside_and_what_may_speak_of_other_things_stays) {
  std::string log;
  for (int line = 0; line < 40; ++line) log += "step_20\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"resume.txt", "step_10\n"},
      {"seed.txt", "20"},
      {"world_size", "20"},
      {"config.json", R"({"resume_from": "step_20"})"},
      {"train_config.yaml", "step: 20\n"},
      {"metrics.json", R"({"step": 20, "loss": 1.5})"},
      {"train.log", "step_20"},
      {"notes.txt", "step_20 was bad, begun again"},
      {"a.json", R"({"max_steps": 20, "save_steps": 20})"},
      {"x.json", R"({"step": 20, "loss": 0.5})"},
      {"list.txt", log},
      {"table.txt", "10 0.5\n20 0.4\n"},
      {"state.json", R"({"path": "step_200"})"},
      {"counter", "2000"},
      {"broken.json", R"({"path": "step_20)"},
      {"list.csv", "step_20,20"},
      {"epoch.txt", "20"},
      {"latest", "something/else"},
  };
  for (const auto& [file, text] : cases) EXPECT_EQ(mended(file, text), text) << file;
}

TEST_F(TrackerTextTest, a_list_of_checkpoints_loses_what_was_put_aside) {
  const std::vector<std::vector<std::string>> cases{
      {"checkpoints.json", R"(["step_10", "step_20"])", R"(["step_10"])"},
      {"checkpoints.json", R"(["step_20", "step_10"])", R"(["step_10"])"},
      {"checkpoints.json", R"({"all": ["step_20"], "n": 1})", R"({"all": ["step_10"], "n": 1})"},
      {"saved.json", R"({"steps": [10, 20]})", R"({"steps": [10]})"},
      {"list.txt", "step_10\nstep_20\n", "step_10\n"},
      {"checkpoint",
       "model_checkpoint_path: \"step_10\"\nall_model_checkpoint_paths: \"step_10\"\n"
       "all_model_checkpoint_paths: \"step_20\"\n",
       "model_checkpoint_path: \"step_10\"\nall_model_checkpoint_paths: \"step_10\"\n"},
  };
  for (const auto& each : cases) EXPECT_EQ(mended(each[0], each[1]), each[2]) << each[1];
}

TEST_F(TrackerTextTest, what_can_not_hold_for_another_checkpoint_is_taken_away) {
  EXPECT_EQ(mended("latest.json", R"({"path": "step_20", "sha256": "ab"})"), "gone");
  EXPECT_TRUE(exists(".reprise/quarantine/latest.json.2")) << "for a person";
  EXPECT_EQ(mended("resume.txt", "step_20/part-7.bin"), "gone");
  env_.resume = ResumePolicy::FromScratch;
  EXPECT_EQ(mended("pointer.txt", "step_20"), "gone") << "no whole one lies beside it";
}

TEST_F(TrackerTextTest, a_tracker_that_was_emptied_or_cut_off_itself_is_gone) {
  for (const char* text : {"", "{\"latest\": \"ste", "  \n"}) {
    EXPECT_EQ(mended("latest.json", text), "gone") << text;
    EXPECT_EQ(mended("other.json", text), text);
  }
  EXPECT_EQ(mended("resume.txt", std::string(8, '\0')), "gone");
  for (const char* whole : {"{'step': 10}", "[resume]\npath = step_10", "{step_10}"})
    EXPECT_EQ(mended("latest.json", whole), whole) << "in a way of its own";
  EXPECT_EQ(mended("latest_ckpt.txt", "step_90"), "step_10") << "is not there";
  EXPECT_EQ(mended("some.txt", "step_90"), "step_90");
}

TEST_F(TrackerTextTest, of_files_a_name_without_its_ending_and_one_of_the_same_kind_counts) {
  use("Plain");
  std::int64_t order = 0;
  for (const char* name : {"out/ckpts/model_step_10.pt", "out/ckpts/optim_step_10.pt", "out/ckpts/model_step_20.pt",
                           "out/ckpts/optim_step_20.pt"}) {
    put_text(root() / name, plain_file());
    ASSERT_TRUE(write_made(*volume_, {.order = ++order, .name = name, .job_uid = "job", .attempt = 1}));
  }
  fs::resize_file(root() / "out/ckpts/model_step_20.pt", 30);
  put_text(root() / "out/ckpts/newest", "model_step_20");
  put_text(root() / "out/where.txt", "ckpts/model_step_20.pt");
  put_text(root() / "resume.json", R"({"file": "out/ckpts/model_step_20.pt"})");
  static_cast<void>(restored());
  EXPECT_EQ(now("out/ckpts/newest"), "model_step_10");
  EXPECT_EQ(now("out/where.txt"), "ckpts/model_step_10.pt");
  EXPECT_EQ(now("resume.json"), R"({"file": "out/ckpts/model_step_10.pt"})");
}

TEST_F(TrackerTextTest, a_file_in_a_checkpoint_and_one_that_this_user_may_not_read_end_nothing) {
  put_text(root() / "step_10/meta.json", R"({"next": "step_20"})");
  put_text(root() / "secret", "step_20");
  fs::permissions(root() / "secret", fs::perms::none);
  static_cast<void>(restored());
  EXPECT_EQ(text_in(root() / "step_10/meta.json"), R"({"next": "step_20"})");
}

TEST(named_alone, spares_what_a_file_names_as_the_one_and_not_a_list_of_all) {
  const std::set<std::string> asked{"run/step_10", "run/step_20"};
  const auto named = [&](const std::string& file, const std::string& text) {
    return named_alone("/volume", {.path = "run/" + file, .text = text}, asked);
  };
  EXPECT_EQ(named("best.json", R"({"best": "step_10"})"), std::set<std::string>{"run/step_10"});
  EXPECT_EQ(named("resume.txt", "step_20\n"), std::set<std::string>{"run/step_20"});
  EXPECT_EQ(named("best.json", R"({"step": 10})"), std::set<std::string>{"run/step_10"});
  EXPECT_EQ(named("all.json", R"(["step_10", "step_20"])"), std::set<std::string>{});
  EXPECT_EQ(named("all.txt", "step_10\nstep_20\n"), std::set<std::string>{});
}

}  // namespace
}  // namespace reprise::agent
