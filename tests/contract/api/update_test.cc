#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

using Update = Contract;

TEST_F(Update, an_old_version_is_a_conflict) {
  const Reply made = must_post(maps(), map("a"));
  ASSERT_EQ(merge(maps("a"), R"({"data":{"k":"w"}})").status, 200);
  const Reply rejected = put(maps("a"), made.body);
  EXPECT_EQ(rejected.status, 409);
  EXPECT_EQ(rejected.reason(), "Conflict");
  EXPECT_EQ(
      rejected.message(),
      "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes "
      "to the latest version and try again");
}

TEST_F(Update, without_a_version_a_built_in_kind_is_written_over) {
  must_post(maps(), map("a"));
  Value again = map("a");
  simulator::set(again, {"data", "k"}, "w");
  const Reply written = put(maps("a"), again);
  EXPECT_EQ(written.status, 200);
  EXPECT_EQ(written.text({"data", "k"}), "w");
  EXPECT_FALSE(written.uid().empty());
  EXPECT_TRUE(written.has({"metadata", "creationTimestamp"}));
}

TEST_F(Update, without_a_version_a_custom_resource_is_rejected) {
  must_post(jobs(), job("a"));
  const Reply rejected = put(jobs("a"), job("a"));
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(rejected.message(), testing::HasSubstr("metadata.resourceVersion: Invalid value: 0"));
  EXPECT_THAT(rejected.message(), testing::HasSubstr("must be specified for an update"));
}

TEST_F(Update, an_equal_write_is_no_write) {
  const Reply made = must_post(maps(), map("a"));
  EXPECT_EQ(put(maps("a"), made.body).version(), made.version());
  EXPECT_EQ(merge(maps("a"), R"({"data":{"k":"v"}})").version(), made.version());
  EXPECT_EQ(get(maps("a")).version(), made.version());
}

TEST_F(Update, another_uid_is_a_conflict) {
  Value other = must_post(maps(), map("a")).body;
  simulator::set(other, {"metadata", "uid"}, "another");
  const Reply rejected = put(maps("a"), other);
  EXPECT_EQ(rejected.status, 409);
  EXPECT_EQ(rejected.reason(), "Conflict");
  EXPECT_THAT(rejected.message(), testing::HasSubstr("Precondition failed: UID in precondition: another"));
}

TEST_F(Update, what_is_not_there_is_not_made) {
  EXPECT_EQ(put(pods("a"), pod("a")).status, 404);
  EXPECT_EQ(merge(pods("a"), R"({"metadata":{"labels":{"a":"b"}}})").status, 404);
}

TEST_F(Update, the_names_of_path_and_object_agree) {
  must_post(maps(), map("a"));
  const Reply rejected = put(maps("a"), map("b"));
  EXPECT_EQ(rejected.status, 400);
  EXPECT_EQ(rejected.message(), "the name of the object (b) does not match the name on the URL (a)");
}

TEST_F(Update, generation_counts_what_is_wanted_of_a_custom_resource) {
  const Reply made = must_post(jobs(), job("a"));
  EXPECT_EQ(made.number({"metadata", "generation"}), 1);
  EXPECT_EQ(merge(jobs("a"), R"({"metadata":{"labels":{"x":"y"}}})").number({"metadata", "generation"}), 1);
  EXPECT_EQ(merge(jobs("a/status"), R"({"status":{"attempt":1}})").number({"metadata", "generation"}), 1);
  EXPECT_EQ(merge(jobs("a"), R"({"spec":{"backoffLimit":9}})").number({"metadata", "generation"}), 2);
}

TEST_F(Update, status_and_the_rest_are_written_through_different_doors) {
  must_post(jobs(), job("a"));
  EXPECT_FALSE(merge(jobs("a"), R"({"status":{"attempt":7}})").has({"status", "attempt"}));
  const Reply status =
      merge(jobs("a/status"), R"({"metadata":{"labels":{"x":"y"}},"spec":{"backoffLimit":9},"status":{"attempt":7}})");
  EXPECT_EQ(status.status, 200) << status.raw;
  EXPECT_EQ(status.number({"status", "attempt"}), 7);
  EXPECT_EQ(status.number({"spec", "backoffLimit"}), 3);
  EXPECT_FALSE(status.has({"metadata", "labels"}));
}

TEST_F(Update, a_status_in_a_new_custom_resource_is_dropped) {
  Value made = job("a");
  simulator::set(made, {"status", "attempt"}, 5);
  EXPECT_FALSE(must_post(jobs(), made).has({"status", "attempt"}));
}

TEST_F(Update, a_status_write_on_an_old_version_is_a_conflict) {
  const Reply made = must_post(jobs(), job("a"));
  ASSERT_EQ(merge(jobs("a"), R"({"spec":{"backoffLimit":9}})").status, 200);
  const Reply rejected =
      merge(jobs("a/status"), R"({"metadata":{"resourceVersion":")" + made.version() + R"("},"status":{"attempt":7}})");
  EXPECT_EQ(rejected.status, 409);
  EXPECT_EQ(rejected.reason(), "Conflict");
}

TEST_F(Update, a_kind_without_status_has_no_door_for_it) {
  must_post(maps(), map("a"));
  EXPECT_EQ(merge(maps("a/status"), R"({"status":{}})").status, 404);
}

TEST_F(Update, a_lease_changes_hands_under_its_version) {
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/" + ns + "/leases";
  const Reply made = must_post(leases, json(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":
    {"name":"l"},"spec":{"holderIdentity":"a","leaseDurationSeconds":15,"acquireTime":"2026-01-01T00:00:00.000000Z",
    "renewTime":"2026-01-01T00:00:00.000000Z","leaseTransitions":0}})"));
  const auto renewal = [&](const std::string& version, const std::string& holder) {
    return merge(leases + "/l", R"({"metadata":{"resourceVersion":")" + version + R"("},"spec":{"holderIdentity":")" +
                                    holder + R"(","renewTime":"2026-01-01T00:00:05.000000Z"}})");
  };
  const Reply renewed = renewal(made.version(), "b");
  EXPECT_EQ(renewed.status, 200) << renewed.raw;
  EXPECT_EQ(renewed.text({"spec", "holderIdentity"}), "b");
  EXPECT_EQ(renewed.text({"spec", "renewTime"}), "2026-01-01T00:00:05.000000Z");
  EXPECT_EQ(renewal(made.version(), "c").status, 409);
  EXPECT_EQ(get(leases + "/l").text({"spec", "holderIdentity"}), "b");
}

TEST_F(Update, of_a_node_pool_counts_its_generation) {
  const Value wanted = pool("p");
  const Reply made = must_post(pools(), wanted);
  EXPECT_EQ(made.number({"metadata", "generation"}), 1);
  const Reply changed = merge(
      pools(own("p")), R"({"metadata":{"resourceVersion":")" + made.version() + R"("},"spec":{"limits":{"cpu":"4"}}})");
  EXPECT_EQ(changed.status, 200) << changed.raw;
  EXPECT_EQ(changed.number({"metadata", "generation"}), 2);
  EXPECT_EQ(merge(pools(own("p")),
                  R"({"metadata":{"resourceVersion":")" + made.version() + R"("},"spec":{"limits":{"cpu":"5"}}})")
                .status,
            409);
  EXPECT_EQ(remove(pools(own("p"))).status, 200);
}

TEST_F(Update, of_a_node_overlay_is_made_under_its_version) {
  const std::string overlays = "/apis/karpenter.sh/v1alpha1/nodeoverlays", name = own("o");
  const Reply made = must_post(overlays, json(R"({"apiVersion":"karpenter.sh/v1alpha1","kind":"NodeOverlay","metadata":
    {"name":")" + name + R"("},"spec":{"requirements":[{"key":"karpenter.sh/capacity-type","operator":"In","values":
    ["spot"]}],"weight":1,"price":"0.5"}})"));
  const std::string patch = R"({"metadata":{"resourceVersion":")" + made.version() + R"("},"spec":{"price":"0.6"}})";
  EXPECT_EQ(merge(overlays + "/" + name, patch).text({"spec", "price"}), "0.6");
  EXPECT_EQ(merge(overlays + "/" + name, patch).status, 409);
  EXPECT_EQ(remove(overlays + "/" + name, R"({"preconditions":{"uid":")" + made.uid() + R"("}})").status, 200);
}

TEST_F(Update, a_config_map_key_is_written_under_its_version) {
  const Reply made = must_post(maps(), map("a"));
  const std::string under = R"({"metadata":{"resourceVersion":")" + made.version() + R"("},"data":)";
  const Reply written = merge(maps("a"), under + R"({"more":"x","k":null}})");
  EXPECT_EQ(written.status, 200);
  EXPECT_EQ(written.text({"data", "more"}), "x");
  EXPECT_FALSE(written.has({"data", "k"}));
  EXPECT_EQ(merge(maps("a"), under + R"({"more":"y"}})").status, 409);
}

}  // namespace
}  // namespace reprise::contract
