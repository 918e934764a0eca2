// The parts of a checkpoint that have to be on a volume of one rank of several.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/aside/list_checkpoints.h"
#include "agent/core/aside/volume_scan.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::dcp_metadata;
using testing_support::little;
using testing_support::put_text;
using testing_support::torch_file;

TEST(held_parts, are_all_on_a_shared_volume_and_a_ranks_share_on_its_own) {
  EXPECT_EQ(HeldParts{}.of(8), 8);
  EXPECT_EQ((HeldParts{.volumes = 2}).of(2), 1);
  EXPECT_EQ((HeldParts{.volumes = 2}).of(16), 8);
  EXPECT_EQ((HeldParts{.volumes = 4}).of(2), 1) << "saved by fewer";
  EXPECT_EQ((HeldParts{.volumes = 2, .processes = 1}).of(4), 1) << "saved by more, of which each had one";
  EXPECT_EQ((HeldParts{.volumes = 2, .processes = 8}).of(2), 1) << "one process drives them all";
  EXPECT_EQ((HeldParts{.volumes = 2, .processes = 4}).of_each_pod(2), 2);
  EXPECT_EQ((HeldParts{.volumes = 2, .processes = 4}).of_each_pod(8), 4);
}

// {"dp_world_size": ranks, "mp_world_size": 1, "ds_config": {"zero_optimization": {"stage": 2}}}
std::string deepspeed_states(int ranks) {
  const auto text = [](const std::string& word) { return "X" + little(word.size(), 4) + word; };
  const auto number = [](int value) { return "K" + little(static_cast<std::uint64_t>(value), 1); };
  return testing_support::zip_of(
      {{"archive/data.pkl", "\x80\x02}(" + text("dp_world_size") + number(ranks) + text("mp_world_size") + number(1) +
                                text("ds_config") + "}" + text("zero_optimization") + "}" + text("stage") + number(2) +
                                "ssu."},
       {"archive/version", "3\n"}});
}

class VolumeOfOneRank : public testing_support::LayoutFormatTest {
 protected:
  // A gang of so many ranks, each with a volume and so many GPUs.
  void use_of(const std::string& format, std::int32_t ranks, std::int32_t devices = 0) {
    env_.parallelism = ranks;
    env_.devices = devices;
    env_.access = VolumeAccess::PerIndex;
    env_.format = format;
    auto calls = std::make_shared<testing_support::FakeCalls>();
    calls_ = calls.get();
    volume_ = volume_as(format, std::move(calls));
  }
  [[nodiscard]] std::shared_ptr<Volume> volume_as(const std::string& format, std::shared_ptr<VolumeCalls> calls) const {
    return posix_volume(root(), make_format(format, parts_held(env_)).value(), std::move(calls));
  }
  void put(const std::string& file, const std::string& bytes = torch_file()) const { put_text(root() / file, bytes); }
  [[nodiscard]] bool is_complete() const {
    const auto found = volume_->scan();
    return found && found->size() == 1 && found->front().complete;
  }
  [[nodiscard]] std::string why_not() const {
    static_cast<void>(volume_->scan());
    return volume_->format->not_taken();
  }
};

TEST_F(VolumeOfOneRank, trainers_random_numbers_are_those_of_this_machines_ranks) {
  for (const int index : {0, 1}) {
    const fs::path directory = root() / "checkpoint-20";
    testing_support::put_hugging_face(directory, 20);
    put("checkpoint-20/training_args.bin", testing_support::training_arguments(4));
    fs::remove(directory / "rng_state.pth");
    for (const char* format : {"Auto", "HuggingFace"}) {
      use_of(format, 2);
      fs::remove(directory / ("rng_state_" + std::to_string(2 * index + 1) + ".pth"));
      put("checkpoint-20/rng_state_" + std::to_string(2 * index) + ".pth");
      EXPECT_FALSE(is_complete()) << "one of this machine's two";
      put("checkpoint-20/rng_state_" + std::to_string(2 * index + 1) + ".pth");
      EXPECT_TRUE(is_complete()) << format << index;
    }
    use("HuggingFace");
    EXPECT_FALSE(is_complete()) << "those of all are on a shared volume";
    fs::remove_all(directory);
  }
}

TEST_F(VolumeOfOneRank, weights_and_state_are_whole_on_each_volume) {
  const fs::path directory = root() / "checkpoint-20";
  testing_support::put_hugging_face(directory, 20);
  fs::rename(directory / "rng_state.pth", directory / "rng_state_1.pth");
  use_of("HuggingFace", 2);
  EXPECT_TRUE(is_complete());
  fs::remove(directory / "model.safetensors");
  put("checkpoint-20/model-00001-of-00002.safetensors", testing_support::safetensors_file());
  put("checkpoint-20/model.safetensors.index.json",
      R"({"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}})");
  EXPECT_FALSE(is_complete());
  put("checkpoint-20/model-00002-of-00002.safetensors", testing_support::safetensors_file());
  EXPECT_TRUE(is_complete());
  fs::remove(directory / "trainer_state.json");
  EXPECT_FALSE(is_complete()) << "as ranks leave it that save their random numbers alone";
  EXPECT_THAT(why_not(), HasSubstr("trainer_state.json"));
}

TEST_F(VolumeOfOneRank, deepspeeds_optimizer_is_in_the_shards_of_this_machines_ranks) {
  for (const int index : {0, 1}) {
    const std::string tag = "global_step20/", own = std::to_string(2 * index), other = std::to_string(2 * index + 1);
    put(tag + "mp_rank_00_model_states.pt", deepspeed_states(4));
    use_of("DeepSpeed", 2);
    EXPECT_FALSE(is_complete());
    put(tag + "zero_pp_rank_" + own + "_mp_rank_00_optim_states.pt");
    EXPECT_FALSE(is_complete()) << "one of this machine's two";
    put(tag + "zero_pp_rank_" + other + "_mp_rank_00_optim_states.pt");
    EXPECT_TRUE(is_complete()) << index;
    fs::rename(root() / tag / "mp_rank_00_model_states.pt", root() / "states");
    EXPECT_FALSE(is_complete()) << "the model is saved on each machine";
    fs::rename(root() / "states", root() / tag / "mp_rank_00_model_states.pt");
    use("DeepSpeed");
    EXPECT_FALSE(is_complete()) << "those of all are on a shared volume";
    fs::remove_all(root() / tag);
  }
}

TEST_F(VolumeOfOneRank, of_a_plain_directory_are_counted_as_this_ranks) {
  for (const char* part : {"model_world_size_2_rank_1.pt", "optim_rank_1_of_2.pt", "state-00002-of-00002.pt"}) {
    put(std::string("step_100/") + part, testing_support::plain_file());
    use_of("Plain", 2);
    EXPECT_TRUE(is_complete()) << part;
    use("Plain");
    EXPECT_FALSE(is_complete()) << part;
    fs::remove_all(root() / "step_100");
  }
  put("step_100/model-00001-of-00002.safetensors", testing_support::safetensors_file());
  use_of("Plain", 2);
  EXPECT_FALSE(is_complete()) << "weights that every rank loads whole";
}

TEST_F(VolumeOfOneRank, megatrons_stages_of_this_machine_are_enough) {
  const auto stage = [&](const std::string& name) {
    put("iter_0000100/" + name + "/model_optim_rng.pt",
        testing_support::megatron_part({{"tensor_model_parallel_size", 2}, {"pipeline_model_parallel_size", 2}}));
  };
  use_of("Megatron", 2);
  stage("mp_rank_00_001");
  EXPECT_FALSE(is_complete());
  stage("mp_rank_01_001");
  EXPECT_TRUE(is_complete());
  use("Megatron");
  EXPECT_FALSE(is_complete());
}

TEST_F(VolumeOfOneRank, shards_that_one_metadata_names_are_all_there_or_each_rank_has_its_own) {
  const std::size_t size = torch_file().size();
  put("step-7/__0_0.distcp");
  put("step-7/.metadata", dcp_metadata({{"__0_0.distcp", size}, {"__1_0.distcp", size}}));
  use_of("PyTorchDCP", 2);
  EXPECT_FALSE(is_complete());
  EXPECT_THAT(why_not(), HasSubstr("let each rank save for itself"));
  fs::remove(root() / "step-7/.metadata");
  EXPECT_THAT(why_not(), HasSubstr("let each rank save for itself"));
  put("step-7/__0.metadata", dcp_metadata({{"__0_0.distcp", size}}));
  EXPECT_TRUE(is_complete());
}

TEST_F(VolumeOfOneRank, that_are_never_complete_are_named_beside_the_empty_list) {
  use_of("HuggingFace", 2);
  const auto unfit = [&] { return list_checkpoints(*volume_, env_, self_, UnreadOlder::IsAnError)->unfit; };
  EXPECT_EQ(unfit(), "");
  put("checkpoint-20/rng_state_1.pth");
  EXPECT_THAT(unfit(), HasSubstr("checkpoint-20 is not complete by HuggingFace: trainer_state.json: is not there"));
  testing_support::put_hugging_face(root() / "checkpoint-20", 20);
  EXPECT_EQ(unfit(), "");
}

}  // namespace
}  // namespace reprise::agent
