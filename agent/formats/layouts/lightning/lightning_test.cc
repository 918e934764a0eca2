#include "agent/formats/layouts/lightning/lightning.h"

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

std::string text_of(const std::string& word) {
  return "X" + little(word.size(), 4) + word;
}
// torch.save of a mapping of these, with empty lists for values but global_step.
std::string saved_with(const std::vector<std::string>& keys) {
  std::string pickled = "\x80\x02}(" + text_of("global_step") + "K\x28";
  for (const std::string& key : keys) pickled += text_of(key) + "]";
  return testing_support::zip_of({{"archive/data.pkl", pickled + "u."}, {"archive/version", "3\n"}});
}

class Lightning : public testing_support::LayoutFormatTest {
 protected:
  Lightning() { use("Lightning"); }
};

// A callback for the best model, beside one for states to resume from.
TEST_F(Lightning, weights_without_an_optimizer_are_no_checkpoint_and_are_left_alone) {
  put_text(root() / "epoch=3-step=40.ckpt",
           saved_with({"pytorch-lightning_version", "state_dict", "optimizer_states"}));
  put_text(root() / "best-epoch=3-step=40.ckpt", saved_with({"pytorch-lightning_version", "state_dict"}));
  EXPECT_THAT(scanned(), ElementsAre("epoch=3-step=40.ckpt Lightning"));
  EXPECT_THAT(restored().notes,
              testing::Contains(testing::HasSubstr("best-epoch=3-step=40.ckpt (NotRecognised: weights alone")));
  EXPECT_TRUE(exists("best-epoch=3-step=40.ckpt"));
}

TEST_F(Lightning, weights_without_an_optimizer_are_no_checkpoint_where_there_is_nothing_else) {
  put_text(root() / "best-epoch=3-step=40.ckpt", saved_with({"pytorch-lightning_version", "state_dict"}));
  EXPECT_THAT(scanned(), testing::IsEmpty());
}

TEST_F(Lightning, a_script_s_weights_alone_count_only_where_no_other_one_has_an_optimizer) {
  for (const char* format : {"Lightning", "Auto"}) {
    use(format);
    put_text(root() / "model-step=40.ckpt", saved_with({"state_dict"}));
    EXPECT_THAT(scanned(), ElementsAre("model-step=40.ckpt Lightning"));
    put_text(root() / "model-step=20.ckpt", saved_with({"state_dict", "optimizer"}));
    for (int look = 0; look < 3; ++look) EXPECT_THAT(scanned(), ElementsAre("model-step=20.ckpt Lightning")) << look;
    const auto next = restored();
    EXPECT_EQ(next.point.path, "model-step=20.ckpt");
    EXPECT_TRUE(exists("model-step=40.ckpt"));
    EXPECT_THAT(next.notes, testing::Contains(testing::HasSubstr("model-step=40.ckpt (NotRecognised: weights alone")));
    std::filesystem::remove_all(root());
    std::filesystem::create_directories(root());
    ++self_.attempt;
  }
}

TEST_F(Lightning, a_file_of_torchs_older_form_counts_as_an_archive_does) {
  const auto saved = [](const std::string& keys) {
    return samples::legacy_torch_file("\x80\x02}(" + text_of("pytorch-lightning_version") + "]" + keys + "u.");
  };
  put_text(root() / "epoch=3-step=40.ckpt", saved(text_of("optimizer_states") + "]"));
  put_text(root() / "best-epoch=3-step=40.ckpt", saved(""));
  EXPECT_THAT(scanned(), ElementsAre("epoch=3-step=40.ckpt Lightning"));
}

TEST_F(Lightning, a_file_of_a_script_that_is_called_alike_counts_as_it_is) {
  put_text(root() / "model-step=40.ckpt", saved_with({"model", "optim"}));
  EXPECT_THAT(scanned(), ElementsAre("model-step=40.ckpt Lightning"));
}

TEST_F(Lightning, what_is_saved_for_slurm_is_of_the_step_that_it_says_inside) {
  put_text(root() / "epoch=0-step=30.ckpt", saved_with({"pytorch-lightning_version", "optimizer_states"}));
  put_text(root() / "hpc_ckpt_3.ckpt", saved_with({"pytorch-lightning_version", "optimizer_states"}));
  const auto next = restored();
  EXPECT_EQ(next.point.path, "hpc_ckpt_3.ckpt");
  EXPECT_EQ(next.point.step, 40);
}

class LightningWithDeepSpeed : public Lightning {
 protected:
  void save(const std::string& name) const {
    const fs::path inside = root() / name / "checkpoint";
    const std::string pickled = "\x80\x02}(" + text_of("dp_world_size") + "K\x02" + text_of("mp_world_size") + "K\x01" +
                                text_of("global_step") + "K\x28" + text_of("param_shapes") + "]u.";
    put_text(inside / "mp_rank_00_model_states.pt", testing_support::zip_of({{"archive/data.pkl", pickled}}));
    for (const char* rank : {"0", "1"})
      put_text(inside / ("zero_pp_rank_" + std::string(rank) + "_mp_rank_00_optim_states.pt"), torch_file());
    put_text(root() / name / "latest", "checkpoint");
  }
};

TEST_F(LightningWithDeepSpeed, is_complete_as_deepspeed_s_own) {
  save("epoch=0-step=40.ckpt");
  EXPECT_THAT(scanned(), ElementsAre("epoch=0-step=40.ckpt Lightning"));
  fs::remove(root() / "epoch=0-step=40.ckpt/checkpoint/zero_pp_rank_1_mp_rank_00_optim_states.pt");
  EXPECT_THAT(scanned(), ElementsAre("!epoch=0-step=40.ckpt Lightning"));
}

TEST_F(LightningWithDeepSpeed, a_torn_one_is_out_of_the_way_of_a_trainer_that_looks_for_itself) {
  began();
  for (const char* name : {"epoch=0-step=20.ckpt", "epoch=0-step=40.ckpt"}) save(name);
  fs::remove(root() / "epoch=0-step=40.ckpt/checkpoint/zero_pp_rank_1_mp_rank_00_optim_states.pt");
  EXPECT_EQ(restored().point.path, "epoch=0-step=20.ckpt");
  EXPECT_FALSE(fs::exists(root() / "epoch=0-step=40.ckpt"));
}

TEST_F(LightningWithDeepSpeed, says_its_step_inside_where_the_name_says_none) {
  save("last.ckpt");
  const auto found = volume_->scan();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().step, 40);
}

TEST_F(LightningWithDeepSpeed, a_last_one_in_which_a_new_save_was_cut_off_is_not_complete) {
  save("last.ckpt");
  const fs::path inside = root() / "last.ckpt/checkpoint";
  const auto later = fs::last_write_time(inside / "mp_rank_00_model_states.pt") + std::chrono::minutes(5);
  fs::last_write_time(inside / "mp_rank_00_model_states.pt", later);
  EXPECT_THAT(scanned(), ElementsAre("!last.ckpt Lightning"));
  fs::last_write_time(inside / "zero_pp_rank_0_mp_rank_00_optim_states.pt", later);
  EXPECT_THAT(scanned(), ElementsAre("!last.ckpt Lightning"));
  fs::last_write_time(inside / "zero_pp_rank_1_mp_rank_00_optim_states.pt", later);
  EXPECT_THAT(scanned(), ElementsAre("last.ckpt Lightning"));
}

// A sharded one under the same name each time: killed in between, the ranks that were done have saved anew.
TEST_F(Lightning, a_last_one_in_which_a_new_save_was_cut_off_is_not_complete) {
  const fs::path last = root() / "last.ckpt";
  for (const char* shard : {"__0_0.distcp", "__1_0.distcp"}) put_text(last / shard, torch_file());
  put_text(last / ".metadata", testing_support::dcp_metadata(
                                   {{"__0_0.distcp", torch_file().size()}, {"__1_0.distcp", torch_file().size()}}));
  put_text(last / "meta.pt", saved_with({"pytorch-lightning_version"}));
  EXPECT_THAT(scanned(), ElementsAre("last.ckpt Lightning"));
  const auto later = fs::last_write_time(last / ".metadata") + std::chrono::minutes(5);
  fs::last_write_time(last / "__0_0.distcp", later);
  EXPECT_THAT(scanned(), ElementsAre("!last.ckpt Lightning"));
  fs::last_write_time(last / "__1_0.distcp", later);
  EXPECT_THAT(scanned(), ElementsAre("last.ckpt Lightning")) << "copied file by file";
  const auto begin = fs::last_write_time(last / ".metadata");
  fs::last_write_time(last / "__0_0.distcp", begin + std::chrono::seconds(6));
  fs::last_write_time(last / "__1_0.distcp", begin + std::chrono::seconds(40));
  EXPECT_THAT(scanned(), ElementsAre("last.ckpt Lightning")) << "slowly, in another order";
}

}  // namespace
}  // namespace reprise::agent
