#include "agent/formats/layouts/hugging_face/hugging_face.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing_support::LayoutFormatTest;
using testing_support::put_text;
using testing_support::safetensors_file;
using testing_support::torch_file;

class HuggingFace : public LayoutFormatTest {
 protected:
  [[nodiscard]] fs::path checkpoint() const { return root() / "checkpoint-20"; }
  void put(const std::string& file, const std::string& bytes = safetensors_file()) const {
    put_text(checkpoint() / file, bytes);
  }
  // Writes a checkpoint without weights in its root.
  void put_all_but_weights() const {
    testing_support::put_hugging_face(checkpoint(), 20);
    fs::remove(checkpoint() / "model.safetensors");
  }
  void cut(const std::string& file) const {
    fs::resize_file(checkpoint() / file, fs::file_size(checkpoint() / file) - 1);
  }
  [[nodiscard]] bool is_complete() const {
    const auto found = volume_->scan();
    return found->size() == 1 && found->front().complete;
  }
};

TEST_F(HuggingFace, adapters_of_other_names_are_the_weights) {
  put_all_but_weights();
  EXPECT_FALSE(is_complete());
  for (const char* adapter : {"policy", "ref"}) {
    put(std::string(adapter) + "/adapter_config.json", "{}");
    EXPECT_FALSE(is_complete()) << adapter;
    put(std::string(adapter) + "/adapter_model.safetensors");
    EXPECT_TRUE(is_complete()) << adapter;
  }
  cut("ref/adapter_model.safetensors");
  EXPECT_FALSE(is_complete());
}

TEST_F(HuggingFace, adapters_of_other_names_are_looked_at_beside_the_model) {
  testing_support::put_hugging_face(checkpoint(), 20);
  put("ref/adapter_config.json", "{}");
  EXPECT_FALSE(is_complete());
  put("ref/adapter_model.bin", torch_file());
  EXPECT_TRUE(is_complete());
  cut("ref/adapter_model.bin");
  EXPECT_FALSE(is_complete());
}

TEST_F(HuggingFace, modules_of_sentence_transformers_are_the_weights) {
  put_all_but_weights();
  put("modules.json", R"([{"idx": 0, "path": "", "type": "Router"}, {"idx": 1, "path": "1_Dense", "type": "Dense"}])");
  put("router_config.json", R"({"types": {"query_0_StaticEmbedding": "S", "document_0_StaticEmbedding": "S"}})");
  for (const char* module : {"query_0_StaticEmbedding", "document_0_StaticEmbedding", "1_Dense"}) {
    EXPECT_FALSE(is_complete()) << module;
    put(std::string(module) + "/model.safetensors");
  }
  EXPECT_TRUE(is_complete());
  for (const char* module : {"document_0_StaticEmbedding", "1_Dense"}) {
    cut(std::string(module) + "/model.safetensors");
    EXPECT_FALSE(is_complete()) << module;
    put(std::string(module) + "/model.safetensors");
  }
}

TEST_F(HuggingFace, a_module_that_is_saved_with_weights_has_them) {
  put_all_but_weights();
  put("modules.json",
      R"([{"path": "", "type": "sentence_transformers.models.Transformer"}, {"path": "1_Pooling", "type": "s.Pooling"},
          {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}])");
  for (const char* module : {"1_Pooling", "2_Dense"}) put(std::string(module) + "/config.json", "{}");
  put("model.safetensors");
  EXPECT_FALSE(is_complete()) << "without the Dense's";
  put("2_Dense/model.safetensors");
  EXPECT_TRUE(is_complete());
  fs::remove(checkpoint() / "model.safetensors");
  EXPECT_FALSE(is_complete()) << "without the Transformer's in the root";
}

TEST_F(HuggingFace, what_is_cut_off_in_a_directory_of_it_is_seen) {
  testing_support::put_hugging_face(checkpoint(), 20);
  put("ema/model.safetensors");
  put("ema/notes.bin", "of somebody's own");
  EXPECT_TRUE(is_complete());
  cut("ema/model.safetensors");
  EXPECT_FALSE(is_complete());
}

TEST_F(HuggingFace, a_module_whose_path_leads_out_or_nowhere_is_not_there) {
  testing_support::put_hugging_face(checkpoint(), 20);
  for (const char* path : {"../checkpoint-20", "/etc", "1_Dense", "a/../../b"}) {
    put("modules.json", R"([{"path": ")" + std::string(path) + R"("}])");
    EXPECT_EQ(is_complete(), std::string(path) == "/etc") << path;
  }
}

TEST_F(HuggingFace, random_numbers_of_a_trainer_that_borrows_the_names_count) {
  testing_support::put_hugging_face(checkpoint(), 20);
  fs::rename(checkpoint() / "rng_state.pth", checkpoint() / "rng_state.pt");
  EXPECT_THAT(scanned(), ElementsAre("checkpoint-20 HuggingFace"));
  fs::remove(checkpoint() / "rng_state.pt");
  EXPECT_FALSE(is_complete());
}

TEST_F(HuggingFace, a_mark_counts_where_names_alone_call_for_more) {
  for (const char* file : {"rng_state.pth", "scheduler.pt", "optimizer.pt", "model.safetensors"}) {
    testing_support::put_hugging_face(checkpoint(), 20);
    fs::remove(checkpoint() / file);
    for (const char* format : {"Auto", "HuggingFace"}) {
      use(format);
      EXPECT_FALSE(is_complete()) << file;
      put("_COMPLETE", "");
      EXPECT_THAT(scanned(), ElementsAre("checkpoint-20 Marker")) << format << ": " << file;
      fs::remove(checkpoint() / "_COMPLETE");
    }
  }
}

TEST_F(HuggingFace, a_mark_mends_no_damage_and_nothing_that_is_listed) {
  testing_support::put_hugging_face(checkpoint(), 20);
  fs::remove(checkpoint() / "rng_state.pth");
  put("_COMPLETE", "");
  EXPECT_TRUE(is_complete());
  for (const char* file : {"optimizer.pt", "model.safetensors", "trainer_state.json"}) {
    for (const bool empty : {true, false}) {
      fs::resize_file(checkpoint() / file, empty ? 0 : fs::file_size(checkpoint() / file) - 1);
      EXPECT_FALSE(is_complete()) << file;
      testing_support::put_hugging_face(checkpoint(), 20);
      fs::remove(checkpoint() / "rng_state.pth");
    }
  }
  put("model.safetensors.index.json", R"({"weight_map": {"w": "model-00002-of-00002.safetensors"}})");
  EXPECT_FALSE(is_complete());
}

TEST_F(HuggingFace, an_index_that_names_no_file_is_none) {
  put_all_but_weights();
  put("model.safetensors.index.json", R"({"weight_map": {}})");
  EXPECT_FALSE(is_complete());
}

TEST_F(HuggingFace, what_counts_by_a_mark_counts_no_more_without_it) {
  testing_support::put_hugging_face(checkpoint(), 20);
  put("_COMPLETE", "");
  ASSERT_TRUE(is_complete());
  ASSERT_TRUE(volume_->format->invalidate(volume_->files, checkpoint()));
  EXPECT_FALSE(is_complete()) << "neither by Trainer's rules nor by the mark";
}

}  // namespace
}  // namespace reprise::agent
