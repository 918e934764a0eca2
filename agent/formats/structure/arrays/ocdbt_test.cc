#include "agent/formats/structure/arrays/ocdbt.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <limits>
#include <string>
#include <utility>

#include "agent/formats/structure/arrays/ocdbt_samples.h"

namespace reprise::agent {
namespace {

using namespace std::string_literals;
using samples::ocdbt_leaf;
using samples::ocdbt_manifest;
using samples::ocdbt_record;

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

TEST(Ocdbt, a_manifest_says_where_the_root_of_the_newest_version_lies) {
  const auto root = read_ocdbt_manifest(ocdbt_manifest({"process_0/d/1", 5, 300, 10}, 2));
  ASSERT_TRUE(root && root->node);
  EXPECT_EQ(root->height, 2);
  EXPECT_EQ(root->files[root->node->file].path, "process_0/d/1");
  EXPECT_EQ(root->files[root->node->file].shared, 10U);
  EXPECT_EQ(root->node->offset, 5U);
  EXPECT_EQ(root->node->end(), 305U);
}

TEST(Ocdbt, a_store_without_a_root_is_empty) {
  const auto root = read_ocdbt_manifest(ocdbt_manifest({"", kLargest, kLargest}));
  ASSERT_TRUE(root);
  EXPECT_FALSE(root->node);
}

TEST(Ocdbt, a_leaf_says_which_values_lie_elsewhere_and_a_path_goes_on_from_the_node_s_own) {
  const auto leaf = read_ocdbt_node(ocdbt_leaf({"d/2", 10, 90}), "process_0/");
  ASSERT_TRUE(leaf);
  EXPECT_TRUE(leaf->children.empty());
  ASSERT_EQ(leaf->values.size(), 1U);
  EXPECT_EQ(leaf->files[leaf->values.front().file].path, "process_0/d/2");
  EXPECT_EQ(leaf->values.front().end(), 100U);
}

TEST(Ocdbt, a_node_above_others_says_where_they_lie) {
  const auto node = read_ocdbt_node(samples::ocdbt_interior({"d/1", 7, 200}), "");
  ASSERT_TRUE(node);
  ASSERT_EQ(node->children.size(), 1U);
  EXPECT_EQ(node->children.front().end(), 207U);
  EXPECT_TRUE(node->values.empty());
}

TEST(Ocdbt, a_record_that_was_cut_off_or_changed_anywhere_is_found) {
  const std::string whole = ocdbt_leaf({"d/2", 10, 90});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    EXPECT_EQ(read_ocdbt_node(whole.substr(0, at), "").error(), OcdbtFlaw::CutOff) << at;
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_EQ(read_ocdbt_node(changed, "").error(), OcdbtFlaw::CutOff) << at;
  }
  EXPECT_EQ(read_ocdbt_manifest(whole).error(), OcdbtFlaw::CutOff) << "it is a node";
}

TEST(Ocdbt, what_no_store_says_is_not_believed_though_its_sum_is_right) {
  const std::pair<const char*, std::string> said[] = {
      {"a path that leads out", ocdbt_leaf({"../d/2", 10, 90})},
      {"a path from the root of the file system", ocdbt_leaf({"/d/2", 10, 90})},
      {"a path with an empty name", ocdbt_leaf({"d//2", 10, 90})},
      {"a value that ends behind all numbers", ocdbt_leaf({"d/2", kLargest, 90})},
      {"a file that is not named",
       ocdbt_record(samples::kOcdbtNodeMagic, "\1"s + samples::varint(0) + samples::varint(1) + "\1\0a\0\0\1\1\1\1"s)},
      {"more entries than bytes",
       ocdbt_record(samples::kOcdbtNodeMagic, "\0"s + samples::varint(0) + samples::varint(kLargest))},
      {"nothing", ocdbt_record(samples::kOcdbtNodeMagic, "")},
      {"no frame of zstd", ocdbt_record(samples::kOcdbtNodeMagic, "frame", 1)},
  };
  for (const auto& [what, record] : said) {
    const auto node = read_ocdbt_node(record, "");
    ASSERT_FALSE(node) << what;
    EXPECT_EQ(node.error(), OcdbtFlaw::Unreadable) << what;
  }
}

TEST(Ocdbt, what_is_not_known_here_is_not_held_against_it) {
  EXPECT_EQ(read_ocdbt_manifest(ocdbt_manifest({"d/1", 0, 9}, 0, 1)).error(), OcdbtFlaw::NotFollowed)
      << "a store with numbered manifests";
  EXPECT_EQ(read_ocdbt_node(ocdbt_record(samples::kOcdbtNodeMagic, "", 2), "").error(), OcdbtFlaw::NotFollowed)
      << "another compression";
}

TEST(Ocdbt, a_small_record_that_unpacks_to_much_is_left_alone) {
  const std::string text(kLargestOcdbtText + 1, '\0');
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  const auto node = read_ocdbt_node(ocdbt_record(samples::kOcdbtNodeMagic, packed, 1), "");
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error(), OcdbtFlaw::NotFollowed);
}

}  // namespace
}  // namespace reprise::agent
