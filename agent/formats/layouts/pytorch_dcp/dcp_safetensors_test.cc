#include "agent/formats/layouts/pytorch_dcp/dcp_safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::dcp_metadata;
using testing_support::LayoutFormatTest;
using testing_support::put_text;
using testing_support::safetensors_file;
using testing_support::torch_file;

constexpr const char* kIndex = R"({"metadata": {"total_size": 16}, "weight_map": {)"
                               R"("a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}})";

class DcpSafetensors : public LayoutFormatTest {
 protected:
  DcpSafetensors() { use("PyTorchDCP"); }
  void save(const std::string& name) const {
    for (const char* file : {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"})
      put_text(root() / name / file, of_the_writer());
    put_text(root() / name / "model.safetensors.index.json", kIndex);
  }
  static std::string of_the_writer() {
    const std::string head =
        R"({"__metadata__":{"DCP_VERSION":"1.0","format":"pt"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    return testing_support::little(head.size(), 8) + head + "12345678";
  }
  void save_whole_state(const std::string& name) const {
    put_text(root() / name / "__0_0.distcp", torch_file());
    put_text(root() / name / ".metadata", dcp_metadata({{"__0_0.distcp", torch_file().size()}}));
  }
  [[nodiscard]] std::string flaw_of(const std::string& name) const {
    const auto entries = entries_of(volume_->files, root() / name);
    const CheckpointContents contents{.files = volume_->files,
                                      .path = root() / name,
                                      .name = name,
                                      .itself = {.kind = FileInfo::Kind::Directory},
                                      .entries = *entries};
    const auto judged = DcpSafetensorsLayout(DcpSafetensorsLayout::Takes::Named).judge(contents);
    return judged->flaw ? judged->flaw->reason : "";
  }
};

TEST_F(DcpSafetensors, is_complete_with_its_index_and_every_file_that_it_names) {
  save("step-100");
  save("step-200");
  EXPECT_THAT(scanned(), ElementsAre("step-200 PyTorchDCP", "step-100 PyTorchDCP"));
  EXPECT_EQ(restored().point.path, "step-200");
}

TEST_F(DcpSafetensors, is_torn_when_a_file_or_the_index_is_missing_or_cut_off) {
  save("step-100");
  const std::string file = "step-200/model-00002-of-00002.safetensors", index = "step-200/model.safetensors.index.json";
  for (const std::string& damaged : {file, index}) {
    save("step-200");
    fs::remove(root() / damaged);
    EXPECT_THAT(scanned(), ElementsAre("!step-200 PyTorchDCP", "step-100 PyTorchDCP")) << damaged;
    put_text(root() / damaged, (damaged == file ? of_the_writer() : kIndex).substr(0, 20));
    EXPECT_THAT(scanned(), ElementsAre("!step-200 PyTorchDCP", "step-100 PyTorchDCP")) << damaged;
  }
}

// Each rank writes its own, and rank 0 makes whole ones of them.
TEST_F(DcpSafetensors, is_torn_while_shards_of_ranks_are_not_consolidated) {
  put_text(root() / "step-100/sharded/shard-00001-model-00001-of-00001.safetensors", safetensors_file());
  EXPECT_THAT(scanned(), ElementsAre("!step-100 PyTorchDCP"));
  save("step-100");
  EXPECT_THAT(scanned(), ElementsAre("step-100 PyTorchDCP"));
}

TEST_F(DcpSafetensors, of_shards_that_nobody_consolidates_says_what_to_do) {
  put_text(root() / "step-100/shard-00001-model-00001-of-00001.safetensors", safetensors_file());
  EXPECT_THAT(scanned(), ElementsAre("!step-100 PyTorchDCP"));
  EXPECT_THAT(flaw_of("step-100"), HasSubstr("enable_consolidation=True"));
}

// Torchtitan's last save with last_save_in_hf is like this: it is neither resumed from nor set aside.
TEST_F(DcpSafetensors, beside_whole_states_is_what_was_exported_from_one) {
  save("step-300");
  save_whole_state("step-200");
  for (const char* format : {"PyTorchDCP", "Auto"}) {
    use(format);
    EXPECT_THAT(scanned(), ElementsAre("step-200 PyTorchDCP")) << format;
    EXPECT_EQ(restored().point.path, "step-200") << format;
    EXPECT_TRUE(exists("step-300/model.safetensors.index.json")) << format;
  }
}

TEST_F(DcpSafetensors, of_an_export_that_was_cut_off_is_torn) {
  save("step-300");
  fs::remove(root() / "step-300/model.safetensors.index.json");
  save_whole_state("step-200");
  EXPECT_THAT(scanned(), ElementsAre("!step-300 PyTorchDCP", "step-200 PyTorchDCP"));
  use("Auto");
  EXPECT_THAT(scanned(), ElementsAre("!step-300 Marker", "step-200 PyTorchDCP"));
}

TEST_F(DcpSafetensors, of_transformers_is_not_of_this_library) {
  save("checkpoint-100");
  put_text(root() / "checkpoint-100/trainer_state.json", "{}");
  // A model to begin from, and what a script exports: by save_pretrained.
  save("base-step3000");
  for (const char* file : {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"})
    put_text(root() / "base-step3000" / file, safetensors_file());
  EXPECT_THAT(scanned(), IsEmpty());
  fs::remove(root() / "base-step3000/model.safetensors.index.json");
  EXPECT_THAT(scanned(), IsEmpty()) << "nor is a torn one";
}

TEST_F(DcpSafetensors, an_export_by_transformers_is_one_as_well) {
  save("step-300");
  for (const char* file : {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"})
    put_text(root() / "step-300" / file, safetensors_file());
  save_whole_state("step-200");
  use("Auto");
  for (int look = 0; look < 2; ++look) EXPECT_THAT(scanned(), ElementsAre("step-200 PyTorchDCP"));
}

// Weights without an optimizer are no state that a training goes on from without a loss.
TEST_F(DcpSafetensors, is_left_alone_unless_the_format_is_named) {
  save("step-100");
  use("Auto");
  EXPECT_THAT(scanned(), ElementsAre("!step-100 Marker"));
}

}  // namespace
}  // namespace reprise::agent
