#include "agent/formats/layouts/deepspeed/deepspeed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing_support::little;
using testing_support::put_text;
using testing_support::torch_file;

// Pickled.
std::string text(const std::string& word) {
  return "X" + little(word.size(), 4) + word;
}
std::string mapping(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string pickled = "}(";
  for (const auto& [key, value] : items) pickled += text(key) + value;
  return pickled + "u";
}
std::string number(int value) {
  return "K" + little(static_cast<std::uint64_t>(value), 1);
}
std::string saved(const std::string& pickled) {
  return testing_support::zip_of({{"archive/data.pkl", "\x80\x02" + pickled + "."}, {"archive/version", "3\n"}});
}

const std::string kNone = "N", kTag = "global_step20";

class DeepSpeed : public testing_support::LayoutFormatTest {
 protected:
  DeepSpeed() { use("DeepSpeed"); }
  void put(const std::string& file, const std::string& bytes = torch_file()) const {
    put_text(root() / kTag / file, bytes);
  }
  // Two layers with two experts each, shared out among two of four ranks.
  void put_experts(const std::string& num_experts =
                       "](K\x02K\x02"
                       "e") const {
    put("mp_rank_00_model_states.pt",
        saved(mapping({{"dp_world_size", number(4)}, {"mp_world_size", number(1)}, {"num_experts", num_experts}})));
    for (const char* expert : {"layer_0_expert_0", "layer_0_expert_1", "layer_1_expert_0", "layer_1_expert_1"})
      put(std::string(expert) + "_mp_rank_00_model_states.pt");
  }
  void put_shares(const std::string& optimizer) const {
    for (const char* share : {"expp_rank_0", "expp_rank_1"})
      put(std::string(share) + "_mp_rank_00_optim_states.pt", saved(mapping({{"optimizer", optimizer}})));
  }
  void put_ranks(const std::string& ending) const {
    for (int rank = 0; rank < 4; ++rank) put("zero_pp_rank_" + std::to_string(rank) + "_mp_rank_00_" + ending);
  }
  // The files without which it is complete all the same.
  [[nodiscard]] std::vector<std::string> not_missed() const {
    std::vector<std::string> files, not_missed;
    for (const auto& entry : fs::directory_iterator(root() / kTag)) files.push_back(entry.path().filename());
    for (const auto& file : files) {
      fs::rename(root() / kTag / file, root() / "aside");
      if (scanned() != std::vector<std::string>{"!" + kTag + " DeepSpeed"}) not_missed.push_back(file);
      fs::rename(root() / "aside", root() / kTag / file);
    }
    return not_missed;
  }
};

const std::string kOptimizer = mapping({{"param_groups", "]" + mapping({{"name", text("ep_size_2")}}) + "a"}});

TEST_F(DeepSpeed, with_experts_and_without_zero_each_expert_and_each_share_of_the_optimizer_is_there) {
  put_experts();
  put_shares(kOptimizer);
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
  EXPECT_EQ(restored().point.path, kTag);
  EXPECT_THAT(not_missed(), ElementsAre());
}

TEST_F(DeepSpeed, with_experts_and_zero_each_rank_s_part_of_the_optimizer_is_there_as_well) {
  put_experts();
  put_shares(kNone);
  EXPECT_THAT(scanned(), ElementsAre("!" + kTag + " DeepSpeed")) << "ZeRO's files are written last";
  put_ranks("optim_states.pt");
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
  EXPECT_THAT(not_missed(), ElementsAre("expp_rank_1_mp_rank_00_optim_states.pt"))
      << "it holds nothing, and nothing says that it was there";
}

TEST_F(DeepSpeed, with_experts_zero_may_keep_the_whole_optimizer_in_its_own_files) {
  put_experts();
  for (int rank = 0; rank < 4; ++rank) put("bf16_zero_pp_rank_" + std::to_string(rank) + "_mp_rank_00_optim_states.pt");
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
  EXPECT_THAT(not_missed(), ElementsAre());
}

TEST_F(DeepSpeed, a_rank_that_more_ranks_have_left_in_an_earlier_save_stands_for_none) {
  put("mp_rank_00_model_states.pt",
      saved(mapping({{"dp_world_size", number(2)}, {"mp_world_size", number(1)}, {"param_shapes", mapping({})}})));
  for (const char* rank : {"0", "2", "3"}) put("zero_pp_rank_" + std::string(rank) + "_mp_rank_00_optim_states.pt");
  EXPECT_THAT(scanned(), ElementsAre("!" + kTag + " DeepSpeed"));
  put("zero_pp_rank_1_mp_rank_00_optim_states.pt");
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
  put("zero_pp_rank_1_mp_rank_00_optim_states.pt", "");
  EXPECT_THAT(scanned(), ElementsAre("!" + kTag + " DeepSpeed"));
}

TEST_F(DeepSpeed, shards_of_the_script_s_own_beside_it_are_whole_as_well) {
  use("Auto");
  put("mp_rank_00_model_states.pt", saved(mapping({{"dp_world_size", number(1)}, {"mp_world_size", number(1)}})));
  put("__0_0.distcp");
  EXPECT_THAT(scanned(), ElementsAre("!" + kTag + " DeepSpeed"));
  put(".metadata", testing_support::dcp_metadata({{"__0_0.distcp", torch_file().size()}}));
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
  fs::remove(root() / kTag / "__0_0.distcp");
  put(".metadata", "of somebody else");
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
}

TEST_F(DeepSpeed, a_torn_file_of_an_expert_is_seen) {
  for (const char* file : {"layer_1_expert_1_mp_rank_00_model_states.pt", "expp_rank_1_mp_rank_00_optim_states.pt"}) {
    put_experts();
    put_shares(kOptimizer);
    fs::resize_file(root() / kTag / file, fs::file_size(root() / kTag / file) - 1);
    EXPECT_THAT(scanned(), ElementsAre("!" + kTag + " DeepSpeed")) << file;
  }
}

TEST_F(DeepSpeed, experts_of_old_versions_have_no_layers) {
  put_experts(number(2));
  for (const char* layer : {"layer_0_", "layer_1_"})
    for (const char* expert : {"expert_0_mp_rank_00_model_states.pt", "expert_1_mp_rank_00_model_states.pt"})
      fs::rename(root() / kTag / (std::string(layer) + expert), root() / kTag / expert);
  put_shares(kOptimizer);
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
  EXPECT_THAT(not_missed(), ElementsAre());
}

TEST_F(DeepSpeed, experts_without_their_number_and_a_number_of_a_script_s_own) {
  const auto states = [](const std::string& key, const std::string& value) {
    return saved(mapping({{"dp_world_size", number(4)}, {"optimizer", kOptimizer}, {key, value}}));
  };
  put("mp_rank_00_model_states.pt", states("num_experts", number(8)));
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
  put("mp_rank_00_model_states.pt", states("other", number(8)));
  put("layer_0_expert_0_mp_rank_00_model_states.pt");
  EXPECT_THAT(scanned(), ElementsAre("!" + kTag + " DeepSpeed"));
}

TEST_F(DeepSpeed, where_zero_divides_the_model_as_well_each_rank_has_both_files) {
  put_ranks("model_states.pt");
  put_ranks("optim_states.pt");
  const std::string config = mapping({{"zero_optimization", mapping({{"stage", number(3)}})}});
  for (int rank = 0; rank < 4; ++rank)
    put("zero_pp_rank_" + std::to_string(rank) + "_mp_rank_00_model_states.pt",
        saved(mapping({{"dp_world_size", number(4)}, {"mp_world_size", number(1)}, {"ds_config", config}})));
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
  EXPECT_THAT(not_missed(), ElementsAre());
}

// The model's states are written first. Before 0.19 the configuration was the name of its file where one was named, and
// with bf16 and stage 0 the optimizer is divided all the same.
TEST_F(DeepSpeed, whose_parameters_have_shapes_has_each_rank_s_part_of_the_optimizer_whatever_its_stage) {
  const auto states = [](const std::string& config, const std::string& shapes) {
    return saved(mapping({{"dp_world_size", number(2)},
                          {"mp_world_size", number(1)},
                          {"ds_config", config},
                          {"optimizer", kNone},
                          {"param_shapes", shapes}}));
  };
  const std::string path = text("ds.json"), stage_0 = mapping({{"zero_optimization", mapping({{"stage", number(0)}})}});
  for (const std::string& config : {path, stage_0}) {
    put("mp_rank_00_model_states.pt", states(config,
                                             "](K\x01"
                                             "e"));
    EXPECT_THAT(scanned(), ElementsAre("!" + kTag + " DeepSpeed"));
    for (const char* rank : {"0", "1"}) put("bf16_zero_pp_rank_" + std::string(rank) + "_mp_rank_00_optim_states.pt");
    EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
    EXPECT_THAT(not_missed(), ElementsAre());
    fs::remove_all(root() / kTag);
  }
  put("mp_rank_00_model_states.pt", states(stage_0, kNone));
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed")) << "the optimizer is in the model's states";
}

TEST_F(DeepSpeed, whose_states_of_the_model_hold_a_large_object_of_the_script_is_judged_as_any_other) {
  std::string numbers;
  for (int i = 0; i < 4'000'000; ++i) numbers += "J" + little(static_cast<std::uint64_t>(i), 4);
  put("mp_rank_00_model_states.pt",
      saved(mapping({{"order", "](" + numbers + "e"}, {"dp_world_size", number(4)}, {"mp_world_size", number(1)}})));
  put_ranks("optim_states.pt");
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
  fs::remove(root() / kTag / "zero_pp_rank_3_mp_rank_00_optim_states.pt");
  EXPECT_THAT(scanned(), ElementsAre("!" + kTag + " DeepSpeed"));
}

TEST_F(DeepSpeed, whose_states_of_the_model_are_too_large_to_be_read_is_judged_by_the_names_of_its_files) {
  std::string words;
  for (int i = 0; i < 900'000; ++i) words += text(std::string(16, 'w'));
  put("mp_rank_00_model_states.pt", saved(mapping({{"words", "](" + words + "e"}})));
  put_ranks("optim_states.pt");
  EXPECT_THAT(scanned(), ElementsAre(kTag + " DeepSpeed"));
  fs::remove(root() / kTag / "zero_pp_rank_1_mp_rank_00_optim_states.pt");
  EXPECT_THAT(scanned(), ElementsAre("!" + kTag + " DeepSpeed"));
}

}  // namespace
}  // namespace reprise::agent
