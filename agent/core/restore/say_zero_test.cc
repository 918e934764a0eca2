// A job never starts from zero in silence over saves that are there.
#include "agent/core/restore/say_zero.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/check/check_command.h"
#include "agent/core/restore/restore.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing_support::plain_file;
using testing_support::put_text;
using testing_support::torch_file;

class SayZero : public testing_support::LayoutFormatTest {
 protected:
  void put(const std::string& name, const std::string& bytes, std::chrono::hours ago = 0h) const {
    put_text(root() / name, bytes);
    fs::last_write_time(root() / name, fs::file_time_type::clock::now() + 60s - ago);
  }
  void put_shards(const std::string& directory) const {
    put(directory + "/__0_0.distcp", torch_file());
    put(directory + "/.metadata", testing_support::dcp_metadata({{"__0_0.distcp", torch_file().size()}}));
  }
  // As an agent finds it that begins.
  void empty() {
    for (const auto& each : fs::directory_iterator(root())) fs::remove_all(each);
    use("Auto");
  }
  [[nodiscard]] std::string said() const {
    const auto found = restored();
    EXPECT_EQ(found.point.path, "");
    std::string all;
    for (const std::string& line : found.notes) all += line + "\n";
    return all;
  }
};

TEST_F(SayZero, a_save_of_a_name_without_a_step_is_named_also_by_a_job_that_begins) {
  for (const bool has_begun : {true, false})
    for (const char* name : {"ckpt.pt", "checkpoint.pth", "last.pt", "latest.pt", "checkpoint.pth.tar", "out/ckpt.pt",
                             "state.ckpt", "training_state.bin", "resume.pkl", "snapshot.pt", "checkpoint.tar",
                             "ckpt.pt.zst", "checkpoint_last.pt", "mycheckpoint.pkl"}) {
      empty();
      if (has_begun) began();
      put(name, plain_file());
      EXPECT_THAT(said(), testing::AllOf(HasSubstr("NotRecognised"), HasSubstr(name))) << has_begun;
    }
}

TEST_F(SayZero, so_is_a_library_s_directory) {
  for (const char* name : {"checkpoint", "latest", "run/checkpoint", "state"}) {
    empty();
    put_shards(name);
    EXPECT_THAT(said(), testing::AllOf(HasSubstr("NotRecognised"), HasSubstr(name)));
  }
  empty();
  put_shards(".");
  EXPECT_THAT(said(), HasSubstr("NotRecognised"));
}

TEST_F(SayZero, so_is_what_lies_in_hidden_directories_and_behind_links) {
  for (const char* name : {".ckpt/step_20/_COMPLETE", ".hidden/run/checkpoint-20/state.pt", ".a/b/c/_COMPLETE",
                           ".run/checkpoint-20.pt", ".run/ckpt.pt", ".checkpoint-20.pt"}) {
    empty();
    put(name, plain_file());
    EXPECT_THAT(said(), testing::AllOf(HasSubstr("NotRecognised"), HasSubstr(std::string(name).substr(0, 4)))) << name;
  }
  empty();
  testing_support::TemporaryDirectory elsewhere;
  put_text(elsewhere.path() / "step_20/_COMPLETE", "");
  fs::create_directory_symlink(elsewhere.path() / "step_20", root() / "step_20");
  EXPECT_THAT(said(), testing::AllOf(HasSubstr("NotRecognised"), HasSubstr("step_20")));
}

TEST_F(SayZero, what_attempts_of_the_job_have_written_is_named_whatever_it_is_called) {
  for (const char* name : {"model.pt", "model_final.pth", "save.npz", "model.safetensors", "x.pt", "deep/w.bin"}) {
    empty();
    began();
    put(name, torch_file());
    EXPECT_THAT(said(), testing::AllOf(HasSubstr("NotRecognised"), HasSubstr(name)));
  }
  empty();
  began();
  EXPECT_THAT(said(), HasSubstr("training starts from zero"));
}

TEST_F(SayZero, data_and_models_to_start_from_are_not_worth_a_word) {
  put("train.bin", "data", 20h);
  put("base/model.safetensors", testing_support::safetensors_file(), 20h);
  put("base/training_args.bin", torch_file(), 20h);
  put("data/x.npz", "data", 20h);
  put(".cache/hub/models--x/snapshots/607a30d/model.safetensors", "weights", 20h);
  EXPECT_EQ(said(), "");
  began();
  ++self_.attempt;  // the next attempt chooses for itself
  EXPECT_THAT(said(), testing::AllOf(HasSubstr("training starts from zero"), testing::Not(HasSubstr("NotRecognised"))));
}

TEST_F(SayZero, where_a_checkpoint_is_resumed_from_nobody_is_told) {
  began();
  put("ckpt.pt", plain_file());
  put("checkpoint-20.pt", plain_file());
  const auto found = restored();
  EXPECT_EQ(found.point.path, "checkpoint-20.pt");
  EXPECT_THAT(found.notes, testing::Each(testing::Not(HasSubstr("ckpt.pt"))));
}

TEST_F(SayZero, check_names_what_there_is) {
  put("model.pt", torch_file());
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const std::string place = root().string();
  EXPECT_EQ(check({place}), 3);
  testing::internal::GetCapturedStdout();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("NotRecognised: model.pt"));
}

}  // namespace
}  // namespace reprise::agent
