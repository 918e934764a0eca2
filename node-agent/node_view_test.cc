#include "node-agent/node_view.h"

#include <gtest/gtest.h>

namespace reprise::node_agent {
namespace {

TEST(NodeView, is_read_from_a_node) {
  const auto node = parse_node(
      R"({"kind": "Node", "metadata": {"name": "a", "uid": "u", "resourceVersion": "7", "labels": {}},
          "spec": {"providerID": "aws:///z/i-1", "taints": [{"key": "k", "effect": "NoSchedule"}]}, "status": {"images": []}})");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->uid, "u");
  EXPECT_EQ(node->provider_id, "aws:///z/i-1");
  EXPECT_TRUE(node->has_taint("k"));
  EXPECT_FALSE(node->has_taint("kk"));
  EXPECT_TRUE(parse_node(R"({"metadata": {"name": "a", "uid": "u", "resourceVersion": "7"}})")) << "without a spec";
}

TEST(NodeView, of_anything_else_is_none) {
  for (const char* text : {"", "[]", "{}", "{\"metadata\": {\"name\": \"a\", \"uid\": \"u\"}}", "{\"metadata\": 7}",
                           "{\"metadata\": {\"name\": 1, \"uid\": \"u\", \"resourceVersion\": \"1\"}}"})
    EXPECT_FALSE(parse_node(text)) << text;
  const auto odd = parse_node(
      R"({"metadata": {"name": "a", "uid": "u", "resourceVersion": "7"}, "spec": {"taints": [7, {"key": 1}]}})");
  ASSERT_TRUE(odd);
  EXPECT_FALSE(odd->has_taint("k"));
}

}  // namespace
}  // namespace reprise::node_agent
