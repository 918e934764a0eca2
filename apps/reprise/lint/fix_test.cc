// Limits of `reprise lint --fix`, over many broken manifests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "apps/reprise/lint/broken_for_tests.h"
#include "apps/reprise/lint/check.h"
#include "apps/reprise/lint/samples_for_tests.h"

namespace reprise::apps::lint {
namespace {

constexpr int kSeeds = 40;

struct Leaf {
  std::string key, text;
  auto operator<=>(const Leaf&) const = default;
};

struct Leaves {
  std::multiset<Leaf> kept;       // leaves that no finding is about
  std::set<std::string> renamed;  // texts whose key is not known
};

void collect(const Node& node, const std::string& key, std::vector<std::pair<const Node*, Leaf>>& leaves) {
  if (node.kind == Node::Kind::Scalar) leaves.push_back({&node, {key, node.text}});
  for (const Node& child : node.children) collect(child, child.key.empty() ? key : child.key, leaves);
}

void add_subtree(const Node& node, std::set<const Node*>& nodes) {
  nodes.insert(&node);
  for (const Node& child : node.children) add_subtree(child, nodes);
}

// The leaves that must remain after a round that mends these findings.
Leaves leaves_of(const std::string& text, const std::vector<Finding>& findings) {
  Leaves leaves;
  for (const Manifest& manifest : read_manifests("given.yaml", text).objects) {
    std::set<const Node*> touched;
    std::set<const Node*> unknown;
    for (const Finding& each : findings) {
      if (each.mend.empty() || each.object != manifest.title()) continue;
      if (const Node* node = manifest.find(each.field)) {
        add_subtree(*node, touched);
        // One of two equal members may go.
        if (each.message.find("is there, too") == std::string::npos && each.rule == "unknown-field")
          add_subtree(*node, unknown);
      }
    }
    std::vector<std::pair<const Node*, Leaf>> all;
    collect(manifest.root, "", all);
    for (const auto& [node, leaf] : all) {
      if (!touched.contains(node)) leaves.kept.insert(leaf);
      if (unknown.contains(node)) leaves.renamed.insert(leaf.text);
    }
  }
  return leaves;
}

std::set<std::string> texts_of(const Leaves& leaves) {
  std::set<std::string> texts;
  for (const Leaf& each : leaves.kept) texts.insert(each.text);
  return texts;
}

std::vector<Leaf> lost_between(const Leaves& before, const std::string& after) {
  const Leaves there = leaves_of(after, {});
  std::vector<Leaf> lost;
  std::ranges::set_difference(before.kept, there.kept, std::back_inserter(lost));
  const std::set<std::string> texts = texts_of(there);
  for (const std::string& each : before.renamed)
    if (!texts.contains(each)) lost.push_back({"(of a key that is not known)", each});
  return lost;
}

void expect_sound_mending(const std::string& text) {
  SCOPED_TRACE(text);
  Mending mending{.files = {{"given.yaml", text}}};
  for (int round = 0; round < kMostRounds; ++round) {
    const std::string before = mending.files[0].text;
    const Leaves leaves = leaves_of(before, check_files(mending.files));
    if (!mend_once(mending)) break;
    const std::string& after = mending.files[0].text;
    const Manifests was = read_manifests("given.yaml", before);
    const Manifests is = read_manifests("given.yaml", after);
    EXPECT_LE(is.problems.size(), was.problems.size()) << after;
    EXPECT_EQ(is.objects.size(), was.objects.size()) << after;
    for (const Leaf& leaf : lost_between(leaves, after))
      ADD_FAILURE() << leaf.key << ": " << leaf.text << "\n" << after;
  }
  for (const Finding& each : mending.refused)
    ADD_FAILURE() << each.object << ": " << each.field << ": " << each.message;
  EXPECT_EQ(mended(mending.files).files[0].text, mending.files[0].text) << "a second run changed it again";
}

std::vector<std::string> manifests() {
  std::vector<std::string> texts{kPool, kJob, kNodePool};
  for (const auto& each : std::filesystem::recursive_directory_iterator(REPRISE_EXAMPLES)) {
    if (each.path().extension() != ".yaml") continue;
    std::ifstream in(each.path());
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

TEST(LintFix, a_broken_manifest_stays_yaml_loses_nothing_and_is_mended_once) {
  const std::vector<std::string> sound = manifests();
  ASSERT_GT(sound.size(), 10U);
  for (const std::string& each : sound) {
    for (unsigned seed = 1; seed <= kSeeds; ++seed) expect_sound_mending(broken(each, seed));
  }
}

TEST(LintFix, a_misspelt_key_is_not_renamed_onto_its_sibling) {
  for (const char* both : {"replicas: 4, replica: 8", "replica: 8, replicas: 4", "replica: 4, replicass: 8"}) {
    const std::string text = exchanged(kPool, "replicas: 4", both);
    const Mending mending = mended({{"given.yaml", text}});
    EXPECT_EQ(mending.files[0].text, text) << "either may be meant: a person has to choose";
    EXPECT_EQ(mending.refused.size(), 0U);
  }
  EXPECT_EQ(mended({{"given.yaml", exchanged(kPool, "replicas: 4", "replicas: 4, replica: 4")}}).files[0].text, kPool);
}

// With every rule right nothing needs the guard: these mends are wrong on purpose.
TEST(LintFix, a_mend_that_breaks_the_yaml_is_left_out_and_named) {
  const std::string text = exchanged(kNodePool, "      - {key: karpenter.sh/capacity-type",
                                     "      - # kind\n        {key: karpenter.sh/capacity-type");
  const Finding right{
      .rule = "right", .file = "given.yaml", .object = "NodePool a10g", .mend = {{{4, 9}, {4, 13}, "b"}}};
  const Finding twice{
      .rule = "twice", .file = "given.yaml", .object = "NodePool a10g", .mend = {{{2, 1}, {2, 5}, "apiVersion"}}};
  const Finding dash{.rule = "dash", .file = "given.yaml", .object = "NodePool a10g", .mend = {{{22, 1}, {23, 1}, ""}}};
  for (const Finding& wrong : {twice, dash}) {
    std::vector<Finding> refused;
    const std::string after = mended_text({"given.yaml", text}, {wrong, right}, refused);
    EXPECT_EQ(after, exchanged(text, "name: a10g\n", "name: b\n"));
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].rule, wrong.rule);
  }
}

}  // namespace
}  // namespace reprise::apps::lint
