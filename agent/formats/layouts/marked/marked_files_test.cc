// A mark that was left from an earlier save: what lies beside and below it is looked at, whatever has written it.
#include "agent/formats/layouts/marked/marked_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::dcp_metadata;
using testing_support::put_text;
using testing_support::safetensors_file;
using testing_support::torch_file;
using testing_support::zip_of;

constexpr std::string_view kPickle{"\x80\x04}\x8c\x04seedK\x07s.", 13};
const std::string kNpy = [] {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  head.resize(118, ' ');
  return "\x93NUMPY\x01" + testing_support::little(0, 1) + testing_support::little(118, 2) + head +
         std::string(24, 'w');
}();
// A head of version 2 that says 96 bytes.
const std::string kHdf5 = "\x89HDF\r\n\x1a\n\x02\x08\x08" + testing_support::little(0, 1) +
                          testing_support::little(0, 8) + std::string(8, '\xff') + testing_support::little(96, 8) +
                          std::string(60, 'w');

class Marked : public testing_support::LayoutFormatTest {
 protected:
  void put(const std::string& file, std::string_view bytes) const { put_text(root() / "step_20" / file, bytes); }
  void mark() const { put("_COMPLETE", ""); }
  // Writes a file of a save that began a minute behind the mark.
  void put_later(const std::string& file, std::string_view bytes) const {
    put(file, bytes);
    fs::last_write_time(root() / "step_20" / file, fs::file_time_type::clock::now() + std::chrono::minutes(1));
  }
  [[nodiscard]] bool is_complete(const char* format = "Auto") {
    use(format);
    const auto found = volume_->scan();
    EXPECT_EQ(found->size(), 1U);
    return found->size() == 1 && found->front().complete;
  }
  // The reason, under Auto; "" of a complete one.
  [[nodiscard]] std::string lack() { return is_complete() ? "" : volume_->format->not_taken(); }
};

TEST_F(Marked, a_state_file_that_is_cut_off_or_empty_is_of_a_save_that_did_not_end_wherever_it_lies) {
  mark();
  struct Row {
    const char* file;
    std::string whole;
  };
  for (const Row& row :
       {Row{"model.pt", torch_file()}, Row{"optim/rank_0/optimizer.pth", torch_file()},
        Row{"a/b/model.safetensors", safetensors_file()}, Row{"MODEL.PT", torch_file()},
        Row{"state.pth.tar", torch_file()}, Row{"optimizer.bin", torch_file()},
        Row{"random_states_0.pkl", std::string(kPickle)}, Row{"params.npz", zip_of({{"w.npy", kNpy}})},
        Row{"w.npy", kNpy}, Row{"model.weights.h5", kHdf5}, Row{"model.keras", zip_of({{"a", "b"}})}}) {
    put(row.file, row.whole);
    EXPECT_TRUE(is_complete()) << row.file;
    for (const std::size_t length : {row.whole.size() - 1, row.whole.size() / 2, std::size_t{1}, std::size_t{0}}) {
      put(row.file, row.whole.substr(0, length));
      for (const char* format : {"Auto", "Marker"}) EXPECT_FALSE(is_complete(format)) << row.file << ": " << length;
    }
    fs::remove(root() / "step_20" / row.file);
  }
}

TEST_F(Marked, the_reason_names_the_file) {
  mark();
  put("actor/model.pt", torch_file().substr(0, 40));
  EXPECT_THAT(lack(), StartsWith("step_20 is not complete by Marker: actor/model.pt: has no end record"));
}

TEST_F(Marked, what_is_of_no_known_kind_passes_whatever_it_is_called) {
  mark();
  for (const char* file : {"model.pt", "tokens.bin", "state.pkl", "w.npy", "model.h5", "x.ckpt", "data/shard.pt"})
    put(file, "somebody's own");
  put("empty_positions.bin", "");
  put("zeros.bin", std::string(100, '\0'));
  put("old.pkl", "(lp0\n.");
  put("two.pkl", std::string(kPickle) + "and raw numbers behind it");
  put("model.index.json", R"({"weight_map": {"a": "of-the-base-model.safetensors"}})");
  put("faiss.index", "IxF2 of vectors");
  put("trace.json", R"([{"name": "left open)");
  put("eval_state.json", "{\"a\": 1}\n{\"b\": \"[\"}\n");
  put("state_of_mind.json", "no JSON");
  put("training_args.bin", torch_file().substr(0, 40));
  put("trained.txt", "");
  put("model.pt.tmp", "cut");
  put("tmp/model.pt", torch_file().substr(0, 40));
  put(".cache/model.pt", "");
  fs::create_symlink("/nowhere/base.safetensors", root() / "step_20/base.safetensors");
  fs::create_directory_symlink(".", root() / "step_20/loop");
  for (const char* format : {"Auto", "Marker"}) EXPECT_TRUE(is_complete(format)) << format;
  EXPECT_EQ(restored().point.path, "step_20");
}

TEST_F(Marked, one_that_is_called_by_digits_below_the_root_is_told_of_when_it_is_torn) {
  put_text(root() / "run/005000/model.pt", torch_file().substr(0, 40));
  put_text(root() / "run/005000/_COMPLETE", "");
  EXPECT_THAT(scanned(), testing::IsEmpty());
  EXPECT_THAT(volume_->format->not_taken(), HasSubstr("run/005000"));
}

TEST_F(Marked, json_that_a_resume_reads_is_closed) {
  mark();
  const std::string whole = R"({"global_step": 20, "log": [{"loss": 0.5}, {"loss": 0.4}], "note": "}]"})";
  for (const char* file : {"trainer_state.json", "model/config.json", "m.safetensors.index.json"}) {
    for (std::size_t length = 0; length < whole.size(); length += 3) {
      put(file, whole.substr(0, length));
      EXPECT_FALSE(is_complete()) << file << ": " << length;
    }
    put(file, std::string(300'000, ' ') + whole);
    EXPECT_TRUE(is_complete());
    put(file, "[" + std::string(300'000, ' ') + whole.substr(0, 30));
    EXPECT_FALSE(is_complete());
    put(file, whole);
    EXPECT_TRUE(is_complete());
  }
}

TEST_F(Marked, an_item_of_orbax_below_it_has_what_its_metadata_says) {
  mark();
  put("state/_CHECKPOINT_METADATA", R"({"item_handlers": "H", "commit_timestamp_nsecs": 1})");
  put("state/_METADATA", R"({"tree_metadata": {"a": {"key_metadata": [{"key": "a"}],
      "value_metadata": {"value_type": "np.ndarray"}}}, "use_ocdbt": false})");
  EXPECT_FALSE(is_complete()) << "without the array's directory";
  put("state/a/zarr.json", "{}");
  EXPECT_TRUE(is_complete());
  put("state/_METADATA", R"({"tree_metadata": )");
  EXPECT_FALSE(is_complete());
}

TEST_F(Marked, of_several_pickles_in_a_file_the_last_is_whole) {
  mark();
  put("states.pkl", std::string(kPickle) + std::string(kPickle));
  EXPECT_TRUE(is_complete());
  put("states.pkl", std::string(kPickle) + std::string(kPickle.substr(0, 8)));
  EXPECT_FALSE(is_complete());
}

TEST_F(Marked, a_file_that_torch_wrote_before_it_wrote_archives_has_all_its_storages) {
  mark();
  const auto text = [](const std::string& word) { return "X" + testing_support::little(word.size(), 4) + word; };
  const std::string object = "\x80\x02}" + text("w") + "(" + text("storage") + "ctorch\nFloatStorage\n" + text("7") +
                             text("cpu") + "K\x05NtQs.";
  const std::string head = samples::legacy_torch_file(object, text("7") + "a");
  const std::string whole = head + testing_support::little(5, 8) + std::string(20, 'w');
  put("model.pt", whole);
  EXPECT_TRUE(is_complete());
  for (const std::size_t length : {whole.size() - 1, head.size() + 3, head.size(), head.size() - 1, std::size_t{19}}) {
    put("model.pt", whole.substr(0, length));
    EXPECT_FALSE(is_complete()) << length;
  }
  put("model.pt", head + "raw numbers of who knows what, and more of them");
  EXPECT_TRUE(is_complete());
}

TEST_F(Marked, a_torch_file_that_begins_with_a_hole_is_damaged) {
  mark();
  put("model.pt", std::string(4'096, '\0'));
  EXPECT_FALSE(is_complete());
}

TEST_F(Marked, what_an_index_names_is_there_where_any_of_it_is) {
  mark();
  put("model/model.safetensors.index.json", R"({"weight_map": {"a": "m-1.safetensors", "b": "m-2.safetensors"}})");
  put("model/m-1.safetensors", safetensors_file());
  EXPECT_FALSE(is_complete());
  put("model/m-2.safetensors", safetensors_file());
  EXPECT_TRUE(is_complete());
}

TEST_F(Marked, shards_below_it_are_as_long_as_their_metadata_says) {
  mark();
  const std::string shard = torch_file();
  put("model/.metadata", dcp_metadata({{"__0_0.distcp", shard.size()}, {"__1_0.distcp", shard.size()}}));
  put("model/__0_0.distcp", shard);
  for (const char* format : {"Auto", "Marker"}) EXPECT_FALSE(is_complete(format)) << "rank 1 has none";
  put("model/__1_0.distcp", shard);
  for (const char* format : {"Auto", "Marker"}) EXPECT_TRUE(is_complete(format));
  put("model/__1_0.distcp", shard.substr(0, 50));
  EXPECT_FALSE(is_complete());
  for (const char* file : {"model/__0_0.distcp", "model/__1_0.distcp"}) fs::remove(root() / "step_20" / file);
  EXPECT_FALSE(is_complete()) << "none is left";
  put("model/.metadata", "of somebody else");
  EXPECT_TRUE(is_complete());
}

TEST_F(Marked, an_index_of_tensorflow_s_has_its_values_beside_it) {
  mark();
  const std::string table = "keys" + std::string("\x57\xfb\x80\x8b\x24\x75\x47\xdb");
  put("ckpt.index", table);
  EXPECT_FALSE(is_complete());
  put("ckpt.data-00000-of-00002", "w");
  EXPECT_FALSE(is_complete()) << "one of two";
  put("ckpt.data-00001-of-00002", "w");
  EXPECT_TRUE(is_complete());
  put("ckpt.index", table.substr(0, 6));
  EXPECT_FALSE(is_complete());
}

TEST_F(Marked, behind_an_older_mark_files_that_count_themselves_are_all_there) {
  put_later("model-00001-of-00003.safetensors", safetensors_file());
  mark();
  EXPECT_FALSE(is_complete());
  for (const char* file : {"model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors"})
    put_later(file, safetensors_file());
  EXPECT_TRUE(is_complete());
  fs::remove(root() / "step_20/model-00002-of-00003.safetensors");
  fs::last_write_time(root() / "step_20/_COMPLETE", fs::file_time_type::clock::now() + std::chrono::minutes(2));
  EXPECT_TRUE(is_complete()) << "of a rank with a volume of its own, whose trainer says that it is whole";
}

TEST_F(Marked, a_mark_does_not_outweigh_damage_in_what_bears_a_library_s_names) {
  testing_support::put_hugging_face(root() / "checkpoint-20", 20);
  fs::remove(root() / "checkpoint-20/rng_state.pth");
  put_text(root() / "checkpoint-20/ema/model.safetensors", safetensors_file());
  put_text(root() / "checkpoint-20/_COMPLETE", "");
  EXPECT_TRUE(is_complete());
  put_text(root() / "checkpoint-20/ema/model.safetensors", safetensors_file().substr(0, 30));
  EXPECT_FALSE(is_complete());
}

// Also where both were made in one tick of the file system's clock.
TEST_F(Marked, the_one_before_is_resumed_from_and_the_rewritten_one_is_torn) {
  const auto now = fs::file_time_type::clock::now();
  for (const char* step : {"step_10", "step_20"}) {
    put_text(root() / step / "model.pt", torch_file());
    put_text(root() / step / "_COMPLETE", "");
    fs::last_write_time(root() / step / "_COMPLETE", now);
  }
  EXPECT_THAT(scanned(), ElementsAre("step_20 Marker", "step_10 Marker"));
  put("model.pt", torch_file().substr(0, 60));
  EXPECT_THAT(scanned(), ElementsAre("!step_20 Marker", "step_10 Marker"));
  EXPECT_EQ(restored().point.path, "step_10");
}

TEST_F(Marked, marked_data_with_a_damaged_file_stays_where_it_is) {
  for (const char* format : {"Auto", "Marker"}) {
    use(format);
    put_text(root() / "step_10/_COMPLETE", "");
    put_text(root() / "dataset-5/_COMPLETE", "");
    put_text(root() / "dataset-5/tokens.npz", zip_of({{"w.npy", kNpy}}).substr(0, 60));
    EXPECT_EQ(restored().point.path, "step_10") << format;
    EXPECT_TRUE(exists("dataset-5/tokens.npz")) << format;
    ++self_.attempt;
  }
}

TEST_F(Marked, a_directory_of_runs_that_bears_a_mark_hides_no_whole_checkpoint_behind_a_cut_one) {
  put_text(root() / "exp-1/_SUCCESS", "");
  put_text(root() / "exp-1/model.pt", torch_file().substr(0, 40));
  save(10, "exp-1");
  EXPECT_THAT(scanned(), ElementsAre("exp-1/checkpoint-10 HuggingFace"));
}

}  // namespace
}  // namespace reprise::agent
