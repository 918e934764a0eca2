#include "agent/formats/names/numbered_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::plain_file;
using testing_support::put_text;
using testing_support::torch_file;

class NumberedState : public testing_support::LayoutFormatTest {};

TEST(numbered_state, one_number_that_stands_by_itself_may_be_a_step) {
  for (const char* file : {"model_100.pt", "net-100.pth", "state_100.pt", "ckpt_100.pkl", "a/b/model.100.pth.tar",
                           "G_100.pth", "100_net.pth", "rl_model_100_steps.zip", "policy_100.zip", "model-100.h5",
                           "Model_100.PT", "weights.100.hdf5", "params_100.npz", "model_100_best.pt"})
    EXPECT_EQ(number_of_state(file), 100) << file;
  for (const char* file : {"resnet50.pt", "llama-7b.pt", "model_v2.pt", "model_rank0.pt", "seed_42.pt", "loss_0.25.pt",
                           "model_1_of_4.pt", "model_3_100.pt", "model.pt", "train_7.tar", "shard_3.npz",
                           "logs_2024.txt", ".model_100.pt", "tokens_5.bin", "images-100.zip"})
    EXPECT_EQ(number_of_state(file), std::nullopt) << file;
}

TEST_F(NumberedState, plain_takes_a_file_that_holds_an_optimizer_s_state) {
  use("Plain");
  put_text(root() / "model_100.pt", plain_file());
  put_text(root() / "runs/net_200.pth", plain_file());
  put_text(root() / "resnet_50.pt", torch_file());
  EXPECT_THAT(scanned(), ElementsAre("runs/net_200.pth Plain", "model_100.pt Plain"));
  EXPECT_EQ(restored().point.path, "runs/net_200.pth");
}

TEST_F(NumberedState, of_plain_s_files_one_that_was_cut_off_is_never_resumed_from) {
  use("Plain");
  put_text(root() / "model_100.pt", plain_file());
  const std::string whole = plain_file();
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    put_text(root() / "model_200.pt", whole.substr(0, length));
    EXPECT_THAT(scanned(), ElementsAre("!model_200.pt Plain", "model_100.pt Plain")) << length;
  }
  EXPECT_EQ(restored().point.path, "model_100.pt");
}

TEST_F(NumberedState, plain_takes_a_pickle_that_ends) {
  use("Plain");
  put_text(root() / "ckpt_100.pkl", std::string("\x80\x04}."));
  put_text(root() / "ckpt_200.pkl", std::string("\x80\x04}"));
  put_text(root() / "ckpt_300.pkl", std::string("\x1f\x8b compressed"));
  EXPECT_THAT(scanned(), ElementsAre("!ckpt_200.pkl Plain", "ckpt_100.pkl Plain"));
  EXPECT_EQ(restored().point.path, "ckpt_100.pkl");
}

TEST_F(NumberedState, what_is_not_taken_is_named_and_no_job_begins_from_zero_over_it_in_silence) {
  for (const char* format : {"Auto", "Plain"})
    for (const char* file :
         {"model_100.pt", "net_100.pth", "state_100.safetensors", "ckpt_100.pkl", "policy_100.zip"}) {
      use(format);
      put_text(root() / file, std::string_view(file).ends_with(".pkl") ? "\x1f\x8b compressed" : torch_file());
      EXPECT_THAT(restored().notes, Contains(testing::AllOf(HasSubstr("NotRecognised"), HasSubstr(file)))) << format;
      EXPECT_FALSE(restored().point.step);
      EXPECT_TRUE(exists(file));
      fs::remove(root() / file);
      ++self_.attempt;
    }
  put_text(root() / "out/model_100/weights.pt", torch_file());
  put_text(root() / "out/images_100/weights.txt", "");
  for (int look = 0; look < 3; ++look) {
    EXPECT_THAT(scanned(), IsEmpty());
    EXPECT_THAT(volume_->format->not_taken(), HasSubstr("out/model_100 (NotRecognised"));
    EXPECT_THAT(volume_->format->not_taken(), testing::Not(HasSubstr("images_100")));
  }
  use("Auto");
  put_text(root() / "model_100.pt", plain_file());
  EXPECT_THAT(scanned(), IsEmpty());
  EXPECT_THAT(volume_->format->not_taken(), HasSubstr("model_100.pt (NotRecognised"));
}

// timm's of the first epoch, before any epoch has ended.
TEST_F(NumberedState, a_rolling_file_with_numbers_that_lies_alone_is_named) {
  use("Auto");
  put_text(root() / "train/recovery-0-8.pth.tar", plain_file());
  EXPECT_THAT(restored().notes,
              Contains(testing::AllOf(HasSubstr("NotRecognised"), HasSubstr("recovery-0-8.pth.tar"))));
  EXPECT_TRUE(exists("train/recovery-0-8.pth.tar"));
}

}  // namespace
}  // namespace reprise::agent
