#include "agent/formats/layouts/megatron/megatron.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/formats/layouts/all_layouts.h"
#include "agent/formats/layouts/megatron/megatron_parts.h"
#include "agent/formats/search/look_at_checkpoint.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing_support::dcp_metadata;
using testing_support::LayoutFormatTest;
using testing_support::megatron_part;
using testing_support::put_text;
using testing_support::torch_file;

class Megatron : public LayoutFormatTest {
 protected:
  // Saves as `--ckpt-format torch` does with two tensor-parallel ranks and a distributed optimizer.
  void save_parts(const std::string& name) const {
    for (const char* part : {"mp_rank_00", "mp_rank_01"}) {
      put_text(root() / name / part / "model_optim_rng.pt", megatron_part({{"tensor_model_parallel_size", 2},
                                                                           {"pipeline_model_parallel_size", 1},
                                                                           {"use_distributed_optimizer", 1}}));
      put_text(root() / name / part / "distrib_optim.pt", torch_file());
    }
  }
  // Saves as torch_dcp does; the files that torch_dist writes beside it are in save_dist().
  void save_shards(const std::string& name, const std::string& what = "model.w") const {
    put_text(root() / name / "__0_0.distcp", torch_file());
    put_text(root() / name / ".metadata", dcp_metadata({{"__0_0.distcp", torch_file().size()}}, what));
  }
  void save_dist(const std::string& name) const {
    put_text(root() / name / "common.pt", torch_file());
    save_shards(name, "rng_state/shard_0.0_1.1");
    put_text(root() / name / "metadata.json", R"({"sharded_backend": "torch_dist", "common_backend": "torch"})");
  }
  // "Complete", or why not.
  [[nodiscard]] std::string said(const std::string& name) const {
    const auto layouts = layouts_named("Auto");
    const auto info = volume_->files.look(root() / name, Links::Stay);
    const auto seen = look_at_checkpoint(volume_->files, *layouts, root() / name, name, **info);
    EXPECT_TRUE(seen && seen->checkpoint && seen->checkpoint->format == "Megatron");
    if (!seen || !seen->checkpoint) return "not recognised";
    return seen->checkpoint->judgement.flaw ? seen->checkpoint->judgement.flaw->reason : "Complete";
  }
  [[nodiscard]] std::string tracker() const {
    return testing_support::text_in(root() / "latest_checkpointed_iteration.txt");
  }
  static constexpr const char* kName = "iter_0000100";
};

TEST_F(Megatron, each_of_its_formats_is_complete_when_all_of_it_is_there) {
  save_parts("iter_0000100");
  save_dist("iter_0000200");
  save_shards("iter_0000300");
  EXPECT_THAT(scanned(), ElementsAre("iter_0000300 Megatron", "iter_0000200 Megatron", "iter_0000100 Megatron"));
  for (const char* name : {"iter_0000100", "iter_0000200", "iter_0000300"}) EXPECT_EQ(said(name), "Complete");
}

TEST_F(Megatron, of_two_formats_in_one_directory_both_are_whole) {
  save_parts(kName);
  save_dist(kName);
  EXPECT_EQ(said(kName), "Complete");
  put_text(root() / kName / "__0_0.distcp", torch_file().substr(0, 40));
  EXPECT_NE(said(kName), "Complete");
  save_dist(kName);
  put_text(root() / kName / "mp_rank_01/model_optim_rng.pt", "");
  EXPECT_NE(said(kName), "Complete");
}

TEST_F(Megatron, a_part_of_the_model_that_is_missing_or_torn_is_named) {
  struct Row {
    const char* file;
    const char* gone;
    const char* torn;
  };
  for (const Row& row : {Row{"mp_rank_01/model_optim_rng.pt", "is not there", "has no end record"},
                         Row{"mp_rank_00/model_optim_rng.pt", "is not there", "has no end record"},
                         Row{"mp_rank_01/distrib_optim.pt", "is not there", "has no end record"}}) {
    save_parts(kName);
    const fs::path file = root() / kName / row.file;
    fs::resize_file(file, fs::file_size(file) - 1);
    EXPECT_THAT(said(kName), testing::StartsWith(std::string(row.file) + ": " + row.torn));
    fs::remove(file);
    EXPECT_EQ(said(kName), std::string(row.file) + ": " + row.gone);
  }
  save_parts(kName);
  fs::remove_all(root() / kName / "mp_rank_01");
  EXPECT_EQ(said(kName), "mp_rank_01: is not there");
}

TEST_F(Megatron, parts_are_called_by_tensor_pipeline_and_expert_rank) {
  EXPECT_THAT(megatron_parts({.tensor = 2}), ElementsAre("mp_rank_00", "mp_rank_01"));
  EXPECT_THAT(megatron_parts({.tensor = 2, .pipeline = 2}),
              ElementsAre("mp_rank_00_000", "mp_rank_00_001", "mp_rank_01_000", "mp_rank_01_001"));
  EXPECT_THAT(megatron_parts({.tensor = 1, .pipeline = 2, .expert = 2}),
              ElementsAre("mp_rank_00_000_000", "mp_rank_00_000_001", "mp_rank_00_001_000", "mp_rank_00_001_001"));
  EXPECT_THAT(megatron_parts({.tensor = 2, .expert = 2, .expert_tensor = 2}),
              ElementsAre("mp_rank_00_000", "mp_rank_00_001", "mp_rank_01_000", "mp_rank_01_001"));
  EXPECT_THAT(megatron_parts({.tensor = 2, .expert = 2}), ElementsAre("mp_rank_00_000", "mp_rank_01_001"))
      << "experts that are not divided lie over the tensor ranks";
}

TEST_F(Megatron, arguments_that_cannot_be_meant_are_no_arguments) {
  for (const auto& said_there : std::vector<std::vector<std::pair<std::string, int>>>{
           {},
           {{"tensor_model_parallel_size", 1}},
           {{"tensor_model_parallel_size", 0}, {"pipeline_model_parallel_size", 1}},
           {{"tensor_model_parallel_size", 4096},
            {"pipeline_model_parallel_size", 1},
            {"expert_model_parallel_size", 3},
            {"expert_tensor_parallel_size", 4095}}}) {
    put_text(root() / kName / "mp_rank_00/model_optim_rng.pt", megatron_part(said_there));
    EXPECT_EQ(said(kName), "mp_rank_00/model_optim_rng.pt: does not say args.tensor_model_parallel_size");
  }
}

TEST_F(Megatron, shards_without_the_file_that_names_their_format_are_a_save_that_did_not_end) {
  save_dist(kName);
  fs::remove(root() / kName / "metadata.json");
  EXPECT_EQ(said(kName), "metadata.json: is not there");
  fs::remove(root() / kName / "common.pt");
  EXPECT_EQ(said(kName), "metadata.json: is not there") << "its shards say that it is no torch_dcp";
}

TEST_F(Megatron, what_metadata_json_names_has_to_be_there) {
  save_dist(kName);
  fs::remove(root() / kName / "common.pt");
  EXPECT_EQ(said(kName), "common.pt: is not there");
  put_text(root() / kName / "metadata.json", R"({"sharded_backend": "torch_dist"})");
  EXPECT_EQ(said(kName), "Complete") << "newer versions keep it in the shards";
  put_text(root() / kName / "integrity.json", R"({"algorithm": "sha256", "files": {"__1_0.distcp": "00"}})");
  EXPECT_EQ(said(kName), "__1_0.distcp: is not there");
  put_text(root() / kName / "metadata.json", R"({"sharded_backend": "zarr"})");
  EXPECT_EQ(said(kName), "metadata.json: sharded_backend is zarr, must be torch_dist");
}

TEST_F(Megatron, shards_of_a_script_that_calls_a_file_of_its_own_metadata_json_are_complete) {
  save_shards(kName);
  put_text(root() / kName / "metadata.json", R"({"step": 100})");
  EXPECT_EQ(said(kName), "Complete");
  put_text(root() / kName / "metadata.json", R"({"step": 1)");
  EXPECT_NE(said(kName), "Complete") << "it may be Megatron's, cut off";
}

TEST_F(Megatron, its_tracker_names_the_newest_complete_one_when_what_it_named_is_put_aside) {
  began();
  for (const char* name : {"iter_0000010", "iter_0000020", "iter_0000030"}) save_dist(name);
  put_text(root() / "latest_checkpointed_iteration.txt", "30");
  put_text(root() / "iter_0000030/common.pt", "torn");
  EXPECT_EQ(restored().point.path, "iter_0000020");
  EXPECT_EQ(tracker(), "20");
  EXPECT_FALSE(exists("iter_0000030"));
}

TEST_F(Megatron, a_tracker_that_names_a_released_model_stays_as_it_is) {
  for (const char* name : {"iter_0000010", "iter_0000020"}) save_dist(name);
  put_text(root() / "latest_checkpointed_iteration.txt", "release");
  put_text(root() / "iter_0000020/common.pt", "torn");
  EXPECT_EQ(restored().point.path, "iter_0000010");
  EXPECT_EQ(tracker(), "release");
}

TEST_F(Megatron, parts_of_another_make_are_complete_when_their_trainer_marks_them_so_and_whole) {
  const fs::path part = root() / kName / "mp_rank_00/model_optim_rng.pt";
  put_text(part, torch_file());
  EXPECT_THAT(scanned(), ElementsAre("!iter_0000100 Megatron"));
  put_text(root() / kName / "_COMPLETE", "");
  EXPECT_THAT(scanned(), ElementsAre("iter_0000100 Marker"));
  fs::resize_file(part, fs::file_size(part) - 1);
  EXPECT_THAT(scanned(), ElementsAre("!iter_0000100 Megatron"));
}

TEST_F(Megatron, a_trainer_of_one_s_own_may_call_its_checkpoints_so) {
  put_text(root() / "iter_0000100/_COMPLETE", "");
  put_text(root() / "iter_0000100/weights.npz", "x");
  EXPECT_THAT(scanned(), ElementsAre("iter_0000100 Marker"));
}

}  // namespace
}  // namespace reprise::agent
