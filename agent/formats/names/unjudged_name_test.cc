#include "agent/formats/names/unjudged_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::LayoutFormatTest;
using testing_support::plain_file;
using testing_support::put_text;
using testing_support::torch_file;

class Unjudged : public LayoutFormatTest {};

TEST_F(Unjudged, names_of_libraries_are_told_of_and_others_are_not) {
  for (const char* file : {"model_0004999.pth", "latest_net_G.pth", "20_net_G.pth", "iter_500_net_D_A.pth",
                           "ep1-ba500-rank0.pt", "latest-rank0.pt", "checkpoint_500", "model.keras", "model-05.keras",
                           "latest.weights.h5", "ckpt-500.index", "ckpt-500.data-00000-of-00001", "model.ckpt-7.index"})
    EXPECT_FALSE(why_unjudged(file).empty()) << file;
  for (const char* file : {"model_7.pth", "model_final.pth", "netscape_net_G.pth", "net_G.pth", "ep1-ba-rank0.pt",
                           "checkpoint_500.pt", "checkpoint_", "checkpoint_5x", "data.h5", "pages.index", "a.data-0",
                           "train.index", "", "-7.index", ".keras.txt", "rank0.pt"})
    EXPECT_TRUE(why_unjudged(file).empty()) << file;
}

TEST_F(Unjudged, where_nothing_is_complete_people_are_told_why_a_library_s_files_are_none) {
  put_text(root() / "out/ep1-ba500-rank0.pt", torch_file());
  put_text(root() / "tf/ckpt-500.index", "x");
  put_text(root() / "tf/ckpt-500.data-00000-of-00001", "x");
  for (int look = 0; look < 4; ++look) {
    EXPECT_THAT(scanned(), IsEmpty());
    EXPECT_THAT(volume_->format->not_taken(), HasSubstr("out/ep1-ba500-rank0.pt (Composer's"));
    EXPECT_THAT(volume_->format->not_taken(), HasSubstr("and 1 more (TensorFlow's"));
  }
  put_text(root() / "step_10/_COMPLETE", "");
  static_cast<void>(scanned());
  EXPECT_EQ(volume_->format->not_taken(), "");
}

TEST_F(Unjudged, a_mark_in_a_directory_without_a_step_in_its_name_is_told_of) {
  put_text(root() / "out/latest/model.pt", torch_file());
  put_text(root() / "out/latest/_COMPLETE", "");
  put_text(root() / "data/train/_SUCCESS", "");
  for (int look = 0; look < 4; ++look) {
    EXPECT_THAT(scanned(), IsEmpty());
    EXPECT_EQ(volume_->format->not_taken(),
              "no checkpoint is complete; like one, and not taken: out/latest (marked as complete, and no step in its "
              "name; save each step in a directory with the step in its name)");
  }
}

TEST_F(Unjudged, a_file_of_detectron_counts_beside_its_tracker_and_with_an_optimizer_in_it) {
  put_text(root() / "out/model_0004999.pth", plain_file());
  EXPECT_THAT(scanned(), IsEmpty());
  put_text(root() / "out/last_checkpoint", "model_0004999.pth");
  put_text(root() / "out/model_0009999.pth", torch_file());
  for (const char* format : {"Auto", "Plain"}) {
    use(format);
    ASSERT_THAT(scanned(), ElementsAre("out/model_0004999.pth Plain")) << format;
    EXPECT_EQ(volume_->scan()->front().step, 4999);
  }
  put_text(root() / "out/model_0009999.pth", plain_file().substr(0, 50));
  EXPECT_THAT(scanned(), ElementsAre("!out/model_0009999.pth Plain", "out/model_0004999.pth Plain"));
}

TEST_F(Unjudged, a_file_of_flax_is_whole_where_its_map_ends_with_it) {
  // {"step": 500, "params": {"w": <ext 1 of 300 bytes>}, "opt_state": {"0": nil}}
  const std::string whole = "\x83\xa4step\xcd\x01\xf4\xa6params\x81\xa1w\xc8\x01\x2c\x01" + std::string(300, 'w') +
                            "\xa9opt_state\x81\xa1"
                            "0\xc0";
  put_text(root() / "checkpoint_500", whole);
  put_text(root() / "checkpoint_900", "\x82\xa4step\x01\xa6params\x80");
  put_text(root() / "checkpoint_7", "of somebody else");
  for (const char* format : {"Auto", "Plain"}) {
    use(format);
    EXPECT_THAT(scanned(), ElementsAre("checkpoint_500 Plain")) << "weights alone are left alone";
  }
  for (std::size_t length = 20; length < whole.size(); length += 7) {
    put_text(root() / "checkpoint_600", whole.substr(0, length));
    EXPECT_THAT(scanned(), ElementsAre("!checkpoint_600 Plain", "checkpoint_500 Plain")) << length;
  }
  for (std::size_t length = 0; length < 20; ++length) {
    put_text(root() / "checkpoint_600", whole.substr(0, length));
    for (const std::string& line : scanned()) EXPECT_NE(line, "checkpoint_600 Plain") << length;
  }
}

TEST_F(Unjudged, what_lies_where_unfinished_saves_lie_is_told_of) {
  for (const char* place : {"tmp", "run/tmp", "trash", "_temporary/0"}) {
    put_text(root() / place / "step_20/_COMPLETE", "");
    testing_support::put_hugging_face(root() / place / "checkpoint-30", 30);
    for (const char* format : {"Auto", "Marker", "HuggingFace"}) {
      use(format);
      EXPECT_THAT(scanned(), IsEmpty()) << format << ": " << place;
      EXPECT_THAT(volume_->format->not_taken(), HasSubstr("named for saves which did not end")) << place;
    }
    fs::remove_all(root() / fs::path(place).begin()->string());
  }
}

}  // namespace
}  // namespace reprise::agent
