#include "agent/formats/layouts/plain/plain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing_support::LayoutFormatTest;
using testing_support::plain_file;
using testing_support::put_text;
using testing_support::safetensors_file;
using testing_support::torch_file;

class Plain : public LayoutFormatTest {};

TEST_F(Plain, a_name_of_the_usual_words_and_numbers_alone_says_nothing_but_checkpoint) {
  for (const char* name : {"checkpoint-100", "ckpt_epoch_3", "step_100", "epoch=3-step=900", "Checkpoint_5"})
    EXPECT_TRUE(says_nothing_but_checkpoint(name)) << name;
  for (const char* name : {"epoch_3_sample_100", "model-7", "optimizer_step_5", "100", "checkpoint", "stepper-3"})
    EXPECT_FALSE(says_nothing_but_checkpoint(name)) << name;
}

TEST_F(Plain, a_file_with_an_optimizer_in_it_is_a_checkpoint_by_itself) {
  put_text(root() / "out/checkpoint-100.pt", plain_file());
  put_text(root() / "out/checkpoint-200.pt", plain_file());
  put_text(root() / "epoch_3.pth.tar", plain_file());
  EXPECT_THAT(scanned(),
              ElementsAre("out/checkpoint-200.pt Plain", "out/checkpoint-100.pt Plain", "epoch_3.pth.tar Plain"));
  EXPECT_EQ(restored().point.path, "out/checkpoint-200.pt");
}

TEST_F(Plain, one_that_is_cut_off_at_any_place_is_never_complete) {
  put_text(root() / "checkpoint-100.pt", plain_file());
  const std::string whole = plain_file();
  for (std::size_t length = 0; length < whole.size(); length += 3) {
    put_text(root() / "checkpoint-200.pt", whole.substr(0, length));
    EXPECT_THAT(scanned(), ElementsAre("!checkpoint-200.pt Plain", "checkpoint-100.pt Plain")) << length;
  }
  EXPECT_EQ(restored().point.path, "checkpoint-100.pt");
}

TEST_F(Plain, a_file_of_torchs_older_form_or_of_pickles_alone_counts_as_an_archive_does) {
  const auto pickle = [](const std::string& key) {
    return "\x80\x02}X" + testing_support::little(key.size(), 4) + key + "}s.";
  };
  const std::string optimizer = pickle("optimizer_state_dict"), weights = pickle("weights");
  for (const std::string& whole : {samples::legacy_torch_file(optimizer), optimizer, optimizer + weights}) {
    put_text(root() / "checkpoint-100.pt", plain_file());
    put_text(root() / "checkpoint-200.pt", whole);
    EXPECT_THAT(scanned(), ElementsAre("checkpoint-200.pt Plain", "checkpoint-100.pt Plain"));
    for (const std::size_t length : {whole.size() - 1, optimizer.size() - 1, std::size_t{1}, std::size_t{0}}) {
      put_text(root() / "checkpoint-200.pt", whole.substr(0, length));
      EXPECT_THAT(scanned(), ElementsAre("!checkpoint-200.pt Plain", "checkpoint-100.pt Plain")) << length;
    }
  }
  for (const std::string& other : {samples::legacy_torch_file(weights), weights}) {
    put_text(root() / "checkpoint-200.pt", other);
    EXPECT_THAT(scanned(), ElementsAre("checkpoint-100.pt Plain"));
  }
}

TEST_F(Plain, without_an_optimizer_or_with_other_words_in_its_name_it_is_left_alone) {
  put_text(root() / "checkpoint-100.pt", plain_file());
  for (const char* file : {"checkpoint-200.pt", "models/step_5.pt"}) put_text(root() / file, torch_file());
  for (const char* file : {"model-300.pt", "optimizer_step_300.pt"}) put_text(root() / file, plain_file());
  put_text(root() / "epoch_3_sample_7.pt", "no archive");
  EXPECT_THAT(scanned(), ElementsAre("checkpoint-100.pt Plain"));
  static_cast<void>(restored());
  for (const char* file : {"checkpoint-200.pt", "models/step_5.pt", "model-300.pt", "epoch_3_sample_7.pt"})
    EXPECT_TRUE(exists(file)) << file;
}

TEST_F(Plain, a_directory_is_taken_only_where_the_user_names_the_format) {
  put_text(root() / "step_100/model.pt", plain_file());
  EXPECT_THAT(scanned(), ElementsAre("!step_100 Marker"));
  use("Plain");
  EXPECT_THAT(scanned(), ElementsAre("step_100 Plain"));
  put_text(root() / "step_200/notes.txt", "of nothing");
  EXPECT_THAT(scanned(), ElementsAre("step_100 Plain"));
}

TEST_F(Plain, a_directory_with_a_torn_file_or_without_one_that_those_beside_it_have_is_not_complete) {
  use("Plain");
  for (const char* step : {"step_100", "step_200"}) {
    put_text(root() / step / "model.safetensors", safetensors_file());
    put_text(root() / step / "optimizer.pt", torch_file());
  }
  EXPECT_THAT(counted(), ElementsAre("step_200 Plain", "step_100 Plain"));
  for (const char* file : {"model.safetensors", "optimizer.pt"}) {
    const fs::path path = root() / "step_200" / file;
    const auto size = fs::file_size(path);
    fs::resize_file(path, size - 1);
    EXPECT_THAT(counted(), ElementsAre("!step_200 Plain", "step_100 Plain")) << file;
    fs::remove(path);
    EXPECT_THAT(counted(), ElementsAre("!step_200 Plain", "step_100 Plain")) << file;
    fs::copy_file(root() / "step_100" / file, path);
  }
  EXPECT_THAT(counted(), ElementsAre("step_200 Plain", "step_100 Plain"));
}

TEST_F(Plain, a_newer_one_that_was_cut_off_does_not_take_those_before_it_with_it) {
  use("Plain");
  for (const char* step : {"step_100", "step_200"})
    for (const char* file : {"model.pt", "optimizer.pt"}) put_text(root() / step / file, torch_file());
  put_text(root() / "step_300/ema.pt", torch_file());  // a script that saves more since
  EXPECT_THAT(counted(), ElementsAre("!step_300 Plain", "step_200 Plain", "step_100 Plain"));
  for (const char* file : {"model.pt", "optimizer.pt"}) put_text(root() / "step_300" / file, torch_file());
  fs::resize_file(root() / "step_300/optimizer.pt", torch_file().size() - 1);
  EXPECT_THAT(counted(), ElementsAre("!step_300 Plain", "step_200 Plain", "step_100 Plain"));
  EXPECT_EQ(restored().point.path, "step_200");
}

TEST_F(Plain, the_first_one_is_cut_off_where_a_whole_one_after_it_has_more) {
  use("Plain");
  put_text(root() / "step_100/model.pt", torch_file());
  for (const char* file : {"model.pt", "optimizer.pt"}) put_text(root() / "step_200" / file, torch_file());
  EXPECT_THAT(scanned(), ElementsAre("step_200 Plain", "!step_100 Plain"));
}

TEST_F(Plain, the_first_one_is_no_worse_for_one_that_was_cut_off_itself) {
  use("Plain");
  for (const char* file : {"model.pt", "optimizer.pt"}) put_text(root() / "step_100" / file, torch_file());
  put_text(root() / "step_200/ema.pt", torch_file());
  EXPECT_THAT(counted(), ElementsAre("!step_200 Plain", "step_100 Plain"));
}

TEST_F(Plain, a_file_that_has_grown_a_large_object_is_not_passed_over) {
  const auto grown = [](const std::string& more) {
    const auto text = [](const std::string& words) { return "X" + testing_support::little(words.size(), 4) + words; };
    // NOLINTNEXTLINE(bugprone-string-constructor): the length is the point
    const std::string large(17'000'000, 'b');
    return testing_support::zip_of(
        {{"archive/data.pkl", "\x80\x02}(" + text("replay") + text(large) + more + "u."}, {"archive/version", "3\n"}});
  };
  put_text(root() / "checkpoint-100.pt", plain_file());
  put_text(root() / "checkpoint-200.pt", grown("X" + testing_support::little(9, 4) + "optimizer}"));
  put_text(root() / "checkpoint-300.pt", grown(""));
  EXPECT_THAT(scanned(), ElementsAre("checkpoint-200.pt Plain", "checkpoint-100.pt Plain"));
}

TEST_F(Plain, a_file_whose_object_is_too_large_to_be_read_counts) {
  std::string words;
  for (int i = 0; i < 900'000; ++i) words += "X" + testing_support::little(16, 4) + std::string(16, 'w');
  put_text(root() / "checkpoint-100.pt", plain_file());
  put_text(root() / "checkpoint-200.pt",
           testing_support::zip_of({{"archive/data.pkl", "\x80\x02](" + words + "e."}, {"archive/version", "3\n"}}));
  EXPECT_THAT(scanned(), ElementsAre("checkpoint-200.pt Plain", "checkpoint-100.pt Plain"));
}

TEST_F(Plain, of_a_directory_the_files_of_its_directories_count) {
  use("Plain");
  for (const char* step : {"global_step_10", "global_step_20"}) {
    put_text(root() / step / "data.pt", torch_file());
    for (const char* file : {"actor/optim_world_size_1_rank_0.pt", "actor/model_world_size_1_rank_0.pt"})
      put_text(root() / step / file, torch_file());
  }
  EXPECT_THAT(counted(), ElementsAre("global_step_20 Plain", "global_step_10 Plain"));
  const fs::path optimizer = root() / "global_step_20/actor/optim_world_size_1_rank_0.pt";
  fs::resize_file(optimizer, 100);
  EXPECT_THAT(counted(), ElementsAre("!global_step_20 Plain", "global_step_10 Plain"));
  fs::remove(optimizer);
  EXPECT_THAT(counted(), ElementsAre("!global_step_20 Plain", "global_step_10 Plain"));
}

TEST_F(Plain, a_part_of_a_rank_or_a_shard_that_the_save_before_has_is_missed) {
  use("Plain");
  for (const char* file : {"model_rank0.pt", "model_rank1.pt", "random_states_0.pkl", "random_states_1.pkl"}) {
    const bool is_pickle = std::string_view(file).ends_with(".pkl");
    for (const char* step : {"step_100", "step_200"})
      put_text(root() / step / file, is_pickle ? std::string("\x80\x04}.") : torch_file());
  }
  EXPECT_THAT(counted(), ElementsAre("step_200 Plain", "step_100 Plain"));
  for (const char* file : {"model_rank1.pt", "model_rank0.pt", "random_states_1.pkl"}) {
    fs::rename(root() / "step_200" / file, root() / "aside");
    EXPECT_THAT(counted(), ElementsAre("!step_200 Plain", "step_100 Plain")) << file;
    fs::rename(root() / "aside", root() / "step_200" / file);
  }
  put_text(root() / "step_200/random_states_1.pkl", "\x80\x04}X");
  EXPECT_THAT(counted(), ElementsAre("!step_200 Plain", "step_100 Plain"));
}

TEST_F(Plain, files_that_count_themselves_are_all_there_without_a_save_before) {
  use("Plain");
  put_text(root() / "step_100/model-00001-of-00003.safetensors", safetensors_file());
  EXPECT_THAT(counted(), ElementsAre("!step_100 Plain"));
  for (const char* file : {"model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors"})
    put_text(root() / "step_100" / file, safetensors_file());
  EXPECT_THAT(counted(), ElementsAre("step_100 Plain"));
  for (const char* file : {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"})
    put_text(root() / "step_200" / file, safetensors_file());
  EXPECT_THAT(counted(), ElementsAre("step_200 Plain", "step_100 Plain")) << "fewer shards, by their own count";
}

TEST_F(Plain, a_gang_whose_files_say_how_many_they_are_may_shrink) {
  use("Plain");
  for (const int rank : {0, 1, 2, 3})
    put_text(root() / ("step_100/model_world_size_4_rank_" + std::to_string(rank) + ".pt"), torch_file());
  put_text(root() / "step_200/model_world_size_2_rank_0.pt", torch_file());
  EXPECT_THAT(counted(), ElementsAre("!step_200 Plain", "step_100 Plain"));
  put_text(root() / "step_200/model_world_size_2_rank_1.pt", torch_file());
  EXPECT_THAT(counted(), ElementsAre("step_200 Plain", "step_100 Plain"));
}

TEST_F(Plain, numbers_that_are_of_the_save_and_not_of_a_part_may_differ) {
  use("Plain");
  for (const char* file : {"step_100/model_100.pt", "step_100/optim_epoch_1.pt", "step_200/model_200.pt",
                           "step_200/optim_epoch_2.pt", "step_300/model_300.pt", "step_300/optim_epoch_3.pt"})
    put_text(root() / file, torch_file());
  EXPECT_THAT(counted(), ElementsAre("step_300 Plain", "step_200 Plain", "step_100 Plain"));
  put_text(root() / "epoch_7/model_step_40_of_100.pt", torch_file());
  EXPECT_THAT(counted(), testing::Contains("epoch_7 Plain"));
  put_text(root() / "ckpt_8/model_fold1of5.pt", torch_file());
  put_text(root() / "ckpt_8/model_fold_1_of_5.pt", torch_file());
  EXPECT_THAT(counted(), testing::Contains("ckpt_8 Plain"));
}

TEST_F(Plain, shards_in_a_directory_of_it_are_whole_and_have_their_metadata) {
  use("Plain");
  put_text(root() / "checkpoint_0/scheduler.bin", torch_file());
  put_text(root() / "checkpoint_0/pytorch_model_fsdp_0/__0_0.distcp", torch_file());
  EXPECT_THAT(scanned(), ElementsAre("!checkpoint_0 Plain"));
  put_text(root() / "checkpoint_0/pytorch_model_fsdp_0/.metadata",
           testing_support::dcp_metadata({{"__0_0.distcp", torch_file().size()}}));
  EXPECT_THAT(scanned(), ElementsAre("checkpoint_0 Plain"));
  fs::resize_file(root() / "checkpoint_0/pytorch_model_fsdp_0/__0_0.distcp", 30);
  EXPECT_THAT(scanned(), ElementsAre("!checkpoint_0 Plain"));
}

TEST_F(Plain, weights_alone_are_none_in_a_series_whose_others_hold_an_optimizer) {
  use("Plain");
  put_text(root() / "step_20.pt", torch_file());
  EXPECT_THAT(scanned(), ElementsAre("step_20.pt Plain")) << "nothing shows that one belongs to it";
  put_text(root() / "step_10.pt", plain_file());
  for (int look = 0; look < 3; ++look) EXPECT_THAT(scanned(), ElementsAre("step_10.pt Plain")) << look;
  EXPECT_THAT(restored().notes, testing::Contains(testing::HasSubstr("step_20.pt (NotRecognised: weights alone")));
  EXPECT_TRUE(exists("step_20.pt"));
  put_text(root() / "step_20_optim.pt", torch_file());
  EXPECT_THAT(scanned(), ElementsAre("step_20_optim.pt Plain", "step_20.pt Plain", "step_10.pt Plain"));
}

TEST_F(Plain, names_in_capitals_are_names_like_others) {
  use("Plain");
  put_text(root() / "STEP_10/MODEL.PT", torch_file());
  put_text(root() / "STEP_10/EMA.SAFETENSORS", safetensors_file());
  EXPECT_THAT(scanned(), ElementsAre("STEP_10 Plain"));
  for (const char* file : {"MODEL.PT", "EMA.SAFETENSORS"}) {
    const auto size = fs::file_size(root() / "STEP_10" / file);
    fs::resize_file(root() / "STEP_10" / file, size - 1);
    EXPECT_THAT(scanned(), ElementsAre("!STEP_10 Plain")) << file;
    put_text(root() / "STEP_10" / file, file[0] == 'M' ? torch_file() : safetensors_file());
  }
}

TEST_F(Plain, an_adapter_alone_is_no_state_of_a_training) {
  use("Plain");
  put_text(root() / "epoch100/adapter_model.safetensors", safetensors_file());
  put_text(root() / "epoch100/adapter_config.json", "{}");
  EXPECT_THAT(scanned(), ElementsAre("!epoch100 Plain"));
  put_text(root() / "epoch100/optimizer.pt", torch_file());
  EXPECT_THAT(scanned(), ElementsAre("epoch100 Plain"));
}

}  // namespace
}  // namespace reprise::agent
