// Orbax's steps with arrays: what their store refers to has to be there.
#include "agent/formats/layouts/orbax/orbax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/formats/structure/arrays/ocdbt_samples.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing_support::LayoutFormatTest;
using testing_support::put_text;

class OrbaxStep : public LayoutFormatTest {
 protected:
  [[nodiscard]] std::filesystem::path item() const { return root() / "20/state"; }
  // A root above a leaf, whose values lie in a file of 100 bytes.
  void save() const {
    put_text(root() / "20/_CHECKPOINT_METADATA", R"({"item_handlers":{"state":"H"},"commit_timestamp_nsecs":1})");
    put_text(item() / "_METADATA", "{}");
    put_text(item() / "process_0/d/values", std::string(100, 'v'));
    put_leaf(samples::ocdbt_leaf({"d/values", 10, 90}));
  }
  void put_leaf(const std::string& leaf) const {
    put_text(item() / "process_0/d/leaf", leaf);
    put_root(samples::ocdbt_interior({"process_0/d/leaf", 0, leaf.size(), 10}));
  }
  void put_root(const std::string& node, std::uint8_t height = 1) const {
    put_text(item() / "d/root", node);
    put_text(item() / "manifest.ocdbt", samples::ocdbt_manifest({"d/root", 0, node.size()}, height));
  }
  // Empty: it is complete.
  [[nodiscard]] std::string flaw() const {
    auto entries = entries_of(volume_->files, root() / "20");
    const CheckpointContents contents{.files = volume_->files,
                                      .path = root() / "20",
                                      .name = "20",
                                      .itself = {.kind = FileInfo::Kind::Directory},
                                      .entries = *entries};
    const auto judged = OrbaxLayout(OrbaxLayout::Takes::Marked).judge(contents);
    return judged->flaw ? judged->flaw->reason : "";
  }
};

TEST_F(OrbaxStep, with_all_that_its_store_refers_to_is_complete) {
  save();
  EXPECT_EQ(flaw(), "");
}

TEST_F(OrbaxStep, without_the_file_that_its_values_lie_in_is_not) {
  save();
  std::filesystem::remove(item() / "process_0/d/values");
  EXPECT_EQ(flaw(), "state/process_0/d/values: is not there");
}

TEST_F(OrbaxStep, whose_values_were_cut_off_by_a_byte_is_not) {
  save();
  put_text(item() / "process_0/d/values", std::string(99, 'v'));
  EXPECT_EQ(flaw(), "state/process_0/d/values: ends at 99, and what the store has there at 100");
}

TEST_F(OrbaxStep, whose_lower_node_was_changed_is_not) {
  save();
  std::string leaf = samples::ocdbt_leaf({"d/values", 10, 90});
  leaf[20] ^= 1;
  put_text(item() / "process_0/d/leaf", leaf);
  EXPECT_EQ(flaw(), "state/process_0/d/leaf: does not have the length and the sum that it says");
}

TEST_F(OrbaxStep, whose_item_names_arrays_and_has_no_store_is_not) {
  save();
  std::filesystem::remove(item() / "manifest.ocdbt");
  std::filesystem::remove_all(item() / "d");
  EXPECT_EQ(flaw(), "") << "an item of other values";
  const auto name = [&](const std::string& value) {
    put_text(item() / "_METADATA",
             R"j({"use_ocdbt":true,"tree_metadata":{"('w',)":{"value_metadata":{"value_type":")j" + value + "\"}}}}");
  };
  name("string");
  EXPECT_EQ(flaw(), "");
  name("jax.Array");
  EXPECT_EQ(flaw(), "state/manifest.ocdbt: is not there");
}

TEST_F(OrbaxStep, does_not_need_what_nothing_in_its_store_refers_to) {
  save();
  put_text(item() / "process_0/d/of_an_earlier_version", "");
  put_text(item() / "process_0/manifest.ocdbt", "merged since");
  EXPECT_EQ(flaw(), "");
}

TEST_F(OrbaxStep, whose_tree_leads_back_to_itself_is_not_followed_for_ever) {
  save();
  const std::string node = samples::ocdbt_interior({"d/root", 0, 0});
  put_root(samples::ocdbt_interior({"d/root", 0, node.size()}));
  EXPECT_THAT(flaw(), HasSubstr("state/d/root: "));
  put_root(samples::ocdbt_interior({"d/root", 0, node.size()}), 2);
  EXPECT_THAT(flaw(), HasSubstr("its node is of another height"));
}

TEST_F(OrbaxStep, with_values_that_only_python_calls_json_is_complete) {
  save();
  for (const char* value : {R"({"best": Infinity, "loss": [NaN, -Infinity]})", "[1, 2]", "3"}) {
    put_text(item() / "metadata", value);
    EXPECT_EQ(flaw(), "") << value;
  }
  put_text(item() / "metadata", R"({"best": Inf)");
  EXPECT_EQ(flaw(), "state/metadata: is not JSON");
}

// A step written with use_ocdbt=False. `_sharding` is there with and without a store.
class OrbaxStepWithoutStore : public OrbaxStep {
 protected:
  OrbaxStepWithoutStore() {
    OrbaxStep::save();
    std::filesystem::remove_all(item());
    put_text(item() / "_sharding", "{}");
    put_text(item() / "_METADATA", R"j({"use_ocdbt":false,"tree_metadata":{"('a', 'w')":{"key_metadata":[)j"
                                   R"j({"key":"a","key_type":2},{"key":"w","key_type":2}],"value_metadata":{)j"
                                   R"j("value_type":"jax.Array"}}}})j");
    put_head("{\"id\":\"zstd\"}");
    for (const char* piece : {"0.0", "0.1"}) put_text(item() / "a.w" / piece, kFrame);
  }
  void put_head(const std::string& compressor) const {
    put_text(item() / "a.w/.zarray",
             R"({"dtype":"<f4","chunks":[2,2],"shape":[2,3],"fill_value":null,"compressor":)" + compressor + "}");
  }
  // zstd of "ab": one block as it is.
  const std::string kFrame = std::string("\x28\xb5\x2f\xfd\x20\x02\x11\0\0", 9) + "ab";
};

TEST_F(OrbaxStepWithoutStore, has_a_directory_of_zarr_with_all_its_pieces_for_each_array) {
  EXPECT_EQ(flaw(), "");
  for (const char* file : {"a.w/.zarray", "a.w/0.0", "a.w/0.1"}) {
    std::filesystem::rename(item() / file, root() / "aside");
    EXPECT_EQ(flaw(), "state/" + std::string(file) + ": is not there");
    std::filesystem::rename(root() / "aside", item() / file);
  }
  std::filesystem::remove_all(item() / "a.w");
  EXPECT_EQ(flaw(), "state/a.w: is not there");
}

// Numpy's arrays have no `_sharding`, nor `array_metadatas`.
TEST_F(OrbaxStepWithoutStore, without_its_metadata_is_not_complete_whatever_else_names_its_arrays) {
  std::filesystem::remove(item() / "_sharding");
  EXPECT_EQ(flaw(), "");
  std::filesystem::rename(item() / "_METADATA", root() / "aside");
  EXPECT_EQ(flaw(), "state/_METADATA: is not there");
  put_text(item() / "checkpoint", "of an old version");
  EXPECT_EQ(flaw(), "");
  std::filesystem::remove(item() / "checkpoint");
  for (const char* file : {".zarray", "0.0", "0.1"}) std::filesystem::rename(item() / "a.w" / file, item() / file);
  EXPECT_EQ(flaw(), "") << "one array alone";
}

TEST_F(OrbaxStepWithoutStore, whose_piece_was_cut_off_anywhere_is_not_complete) {
  for (std::size_t length = 1; length < kFrame.size(); ++length) {
    put_text(item() / "a.w/0.1", kFrame.substr(0, length));
    EXPECT_THAT(flaw(), HasSubstr("state/a.w/0.1: does not ")) << length;
  }
  put_head("null");
  for (const char* piece : {"0.0", "0.1"}) put_text(item() / "a.w" / piece, std::string(16, 'v'));
  EXPECT_EQ(flaw(), "");
  put_text(item() / "a.w/0.1", std::string(15, 'v'));
  EXPECT_EQ(flaw(), "state/a.w/0.1: does not have the 16 bytes of a piece");
}

// A step written with use_zarr3=True: pieces lie in directories of their own.
class OrbaxStepOfZarr3 : public OrbaxStepWithoutStore {
 protected:
  OrbaxStepOfZarr3() { std::filesystem::remove_all(item() / "a.w"); }
  void put_head(const std::string& codecs) const {
    put_text(
        item() / "a.w/zarr.json",
        R"({"chunk_grid":{"configuration":{"chunk_shape":[2,2]},"name":"regular"},"chunk_key_encoding":)"
        R"({"name":"default"},"data_type":"float32","fill_value":0.0,"node_type":"array","shape":[2,3],"codecs":)" +
            codecs + "}");
  }
  void put_pieces(const std::string& bytes) const {
    for (const char* piece : {"c/0/0", "c/0/1"}) put_text(item() / "a.w" / piece, bytes);
  }
  static std::string eight_bytes(std::uint64_t number) {
    std::string bytes;
    for (int at = 0; at < 8; ++at) bytes += static_cast<char>(number >> static_cast<unsigned>(8 * at) & 0xffU);
    return bytes;
  }
  static constexpr const char* kRaw = R"([{"name":"bytes","configuration":{"endian":"little"}}])";
  static constexpr const char* kZstd = R"([{"name":"bytes"},{"name":"zstd"}])";
  static constexpr const char* kShards =
      R"([{"name":"sharding_indexed","configuration":{"chunk_shape":[1,2],"codecs":[{"name":"bytes"}],)"
      R"("index_codecs":[{"name":"bytes"},{"name":"crc32c"}]}}])";
};

TEST_F(OrbaxStepOfZarr3, has_each_piece_that_its_grid_calls_for_whatever_the_fill_value) {
  put_head(kRaw);
  put_pieces(std::string(16, 'v'));
  EXPECT_EQ(flaw(), "");
  for (const char* file : {"a.w/c/0/0", "a.w/c/0/1"}) {
    std::filesystem::rename(item() / file, root() / "aside");
    EXPECT_EQ(flaw(), "state/" + std::string(file) + ": is not there");
    std::filesystem::rename(root() / "aside", item() / file);
  }
  std::filesystem::remove_all(item() / "a.w/c");
  EXPECT_EQ(flaw(), "state/a.w/c/0/0: is not there");
}

TEST_F(OrbaxStepOfZarr3, whose_piece_was_cut_off_is_not_complete) {
  put_head(kRaw);
  put_pieces(std::string(15, 'v'));
  EXPECT_EQ(flaw(), "state/a.w/c/0/0: does not have the bytes of a piece");
  put_head(kZstd);
  put_pieces(kFrame);
  EXPECT_EQ(flaw(), "");
  put_pieces(kFrame.substr(0, kFrame.size() - 1));
  EXPECT_THAT(flaw(), HasSubstr("state/a.w/c/0/0: does not "));
}

TEST_F(OrbaxStepOfZarr3, whose_shard_was_cut_off_names_values_that_it_lacks) {
  put_head(kShards);
  const std::string values(16, '\0');
  const std::string index = eight_bytes(0) + eight_bytes(8) + eight_bytes(8) + eight_bytes(8);
  const std::string sum = eight_bytes(samples::crc32c(index)).substr(0, 4);
  put_pieces(values + index + sum);
  EXPECT_EQ(flaw(), "");
  for (std::size_t length = 1; length < values.size() + index.size() + sum.size(); ++length) {
    put_pieces((values + index + sum).substr(0, length));
    EXPECT_THAT(flaw(), HasSubstr("state/a.w/c/0/0: ")) << length;
  }
  const std::string none = eight_bytes(~std::uint64_t{0}), empty = none + none + none + none;
  put_pieces(empty + eight_bytes(samples::crc32c(empty)).substr(0, 4));
  EXPECT_EQ(flaw(), "") << "nothing but the fill value";
}

TEST_F(OrbaxStep, whose_item_has_a_file_of_one_process_of_two_is_not) {
  save();
  put_text(item() / "process_0-of-2.json", "{}");
  EXPECT_EQ(flaw(), "state/process_0-of-2.json: there are 1 of 2");
  put_text(item() / "process_1-of-2.json", "");
  EXPECT_EQ(flaw(), "state/process_0-of-2.json: there are 1 of 2");
  put_text(item() / "process_1-of-2.json", "{}");
  EXPECT_EQ(flaw(), "");
}

TEST_F(OrbaxStep, without_metadata_of_arrays_needs_no_store) {
  save();
  std::filesystem::remove_all(item());
  put_text(item() / "_sharding", "{}");
  put_text(item() / "checkpoint/.zarray", "{}");
  EXPECT_EQ(flaw(), "");
}

// Kilobytes of nodes that refer to one place many times would use up what may be read, before what is torn is reached.
TEST_F(OrbaxStep, whose_nodes_refer_to_one_place_many_times_visits_it_once) {
  save();
  constexpr int kMany = 400;
  const std::string torn = "torn", leaf = samples::ocdbt_leaf({"d/values", 10, 90});
  std::string nodes = torn + leaf;
  std::pair<std::uint64_t, std::uint64_t> below{torn.size(), leaf.size()};
  for (std::uint8_t height = 1; height <= 3; ++height) {
    const std::string node = samples::ocdbt_interior_of("d/nodes", 0, std::vector(kMany, below), height);
    below = {nodes.size(), node.size()};
    nodes += node;
  }
  const std::string root = samples::ocdbt_interior_of("d/nodes", 0, {{0, torn.size()}, below}, 4);
  put_text(item() / "d/values", std::string(100, 'v'));
  put_text(item() / "manifest.ocdbt", samples::ocdbt_manifest({"d/root", 0, root.size()}, 4));
  put_text(item() / "d/nodes", nodes);
  put_text(item() / "d/root", root);
  EXPECT_EQ(flaw(), "state/d/nodes: does not have the length and the sum that it says");
}

}  // namespace
}  // namespace reprise::agent
