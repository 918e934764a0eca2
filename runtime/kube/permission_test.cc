#include "runtime/kube/permission.h"

#include <gtest/gtest.h>

namespace reprise::kube {
namespace {

TEST(Permission, two_wishes_for_one_resource_are_one_line_with_all_verbs) {
  const auto all = merged({{"", "pods", {"get", "watch"}}, {"", "pods", {"delete", "get"}}});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().verbs, (std::vector<std::string>{"delete", "get", "watch"}));
}

TEST(Permission, what_is_granted_in_one_namespace_stays_apart_from_what_is_granted_everywhere) {
  EXPECT_EQ(merged({{"", "configmaps", {"get"}}, {"", "configmaps", {"get"}, PermissionScope::OwnNamespace}}).size(),
            2U);
}

TEST(Permission, a_line_names_the_group_before_the_subresource) {
  EXPECT_EQ(as_table({{"reprise.dev", "gpupools/status", {"patch"}}}),
            "cluster    gpupools.reprise.dev/status             patch\n");
  EXPECT_EQ(as_table({{"", "/apis/*", {"get"}}}), "cluster    /apis/*                                 get\n");
}

TEST(Permission, of_a_program_that_watches_two_namespaces_is_asked_for_in_these_alone) {
  using enum PermissionScope;
  const std::vector<Permission> wishes = {{"", "nodes", {"get"}},
                                          {"", "configmaps", {"get"}, OwnNamespace},
                                          {"", "pods", {"get"}, WatchedNamespaces},
                                          {"", "events", {"list"}, DefaultNamespace}};
  EXPECT_EQ(as_table(merged(narrowed(wishes, {"team-a", "b"}))),
            "cluster            nodes                                   get\n"
            "namespace          configmaps                              get\n"
            "namespace/b        pods                                    get\n"
            "namespace/default  events                                  list\n"
            "namespace/team-a   pods                                    get\n");
  EXPECT_EQ(as_table(merged(narrowed(wishes, {}))),
            "cluster            nodes                                   get\n"
            "cluster            pods                                    get\n"
            "namespace          configmaps                              get\n"
            "namespace/default  events                                  list\n");
  const std::vector<Permission> both = {{"", "events", {"list"}, WatchedNamespaces},
                                        {"", "events", {"list"}, DefaultNamespace}};
  EXPECT_EQ(as_table(merged(narrowed(both, {}))), "cluster    events                                  list\n");
}

}  // namespace
}  // namespace reprise::kube
