#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

using Create = Contract;

TEST_F(Create, answers_201_with_what_the_server_filled_in) {
  const Reply made = post(pods(), pod("a"));
  ASSERT_EQ(made.status, 201) << made.raw;
  EXPECT_EQ(made.text({"kind"}), "Pod");
  EXPECT_EQ(made.text({"apiVersion"}), "v1");
  EXPECT_EQ(made.text({"metadata", "namespace"}), ns);
  EXPECT_EQ(made.uid().size(), 36U);
  EXPECT_FALSE(made.version().empty());
  EXPECT_EQ(made.text({"metadata", "creationTimestamp"}).size(), 20U);
  EXPECT_EQ(get(pods("a")).uid(), made.uid());
}

TEST_F(Create, a_name_is_taken_once) {
  must_post(maps(), map("a"));
  const Reply again = post(maps(), map("a"));
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.reason(), "AlreadyExists");
  EXPECT_EQ(again.message(), "configmaps \"a\" already exists");
  EXPECT_EQ(again.text({"details", "kind"}), "configmaps");
  EXPECT_EQ(again.text({"details", "name"}), "a");
}

TEST_F(Create, a_name_that_is_taken_is_AlreadyExists_for_custom_resources_too) {
  must_post(jobs(), job("a"));
  const Reply again = post(jobs(), job("a"));
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.reason(), "AlreadyExists");
  EXPECT_EQ(again.message(), "resumablejobs.reprise.dev \"a\" already exists");
}

TEST_F(Create, generateName_makes_a_name) {
  Value made = map("x");
  simulator::unset(made, {"metadata", "name"});
  simulator::set(made, {"metadata", "generateName"}, "probe-");
  const Reply reply = must_post(maps(), made);
  EXPECT_THAT(std::string(reply.text({"metadata", "name"})), testing::MatchesRegex("probe-[a-z0-9]{5}"));
}

TEST_F(Create, a_name_must_be_a_subdomain) {
  const Reply rejected = post(maps(), map("A_b"));
  EXPECT_EQ(rejected.status, 422);
  EXPECT_EQ(rejected.reason(), "Invalid");
  EXPECT_EQ(rejected.text({"details", "kind"}), "ConfigMap");
  EXPECT_THAT(rejected.message(), testing::StartsWith("ConfigMap \"A_b\" is invalid: metadata.name: Invalid value: "
                                                      "\"A_b\": a lowercase RFC 1123 subdomain must consist of"));
  const auto& causes = simulator::array(rejected.body, {"details", "causes"});
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(simulator::text(causes[0], {"field"}), "metadata.name");
  EXPECT_EQ(simulator::text(causes[0], {"reason"}), "FieldValueInvalid");
}

TEST_F(Create, a_name_must_be_there) {
  Value nameless = map("x");
  simulator::unset(nameless, {"metadata", "name"});
  const Reply rejected = post(maps(), nameless);
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(rejected.message(),
              testing::HasSubstr("metadata.name: Required value: name or generateName is required"));
}

TEST_F(Create, a_service_name_begins_with_a_letter) {
  const Reply rejected = post(in_namespace("services"), json(R"({"apiVersion":"v1","kind":"Service","metadata":
    {"name":"1a"},"spec":{"clusterIP":"None","selector":{"a":"b"}}})"));
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(rejected.message(), testing::HasSubstr("a DNS-1035 label must consist of"));
}

TEST_F(Create, labels_have_a_form) {
  const Reply rejected = post(maps(), map("a", "two words"));
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(rejected.message(),
              testing::HasSubstr("metadata.labels: Invalid value: \"two words\": a valid label must"));
}

TEST_F(Create, one_owner_controls) {
  Value owned = map("a");
  const Value owner = json(R"({"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true})");
  const Value other = json(R"({"apiVersion":"v1","kind":"Pod","name":"q","uid":"w","controller":true})");
  simulator::set(owned, {"metadata", "ownerReferences"}, simulator::JsonArray{owner, other});
  const Reply rejected = post(maps(), owned);
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(rejected.message(), testing::HasSubstr("Only one reference can have Controller set to true"));
}

TEST_F(Create, an_owner_counts_once) {
  Value owned = map("a");
  const Value owner = json(R"({"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true})");
  simulator::set(owned, {"metadata", "ownerReferences"}, simulator::JsonArray{owner, owner});
  EXPECT_EQ(simulator::array(must_post(maps(), owned).body, {"metadata", "ownerReferences"}).size(), 1U);
}

TEST_F(Create, an_owner_is_named_in_full) {
  Value owned = map("a");
  simulator::set(owned, {"metadata", "ownerReferences"},
                 json(R"([{"apiVersion":"v1","kind":"Pod","name":"p","uid":""}])"));
  const Reply rejected = post(maps(), owned);
  EXPECT_EQ(rejected.status, 422);
  EXPECT_EQ(rejected.message(),
            "ConfigMap \"a\" is invalid: metadata.ownerReferences.uid: Invalid value: \"\": must "
            "not be empty");
}

TEST_F(Create, a_new_node_is_not_ready) {
  const Reply made = must_post("/api/v1/nodes", json(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" +
                                                     own("n") + R"("},"spec":{"providerID":"x"},"status":{"capacity":
    {"cpu":"4"},"conditions":[{"type":"Ready","status":"True"}]}})"));
  EXPECT_EQ(encoded(*simulator::find(made.body, {"spec", "taints"})),
            R"([{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}])");
  EXPECT_EQ(made.text({"status", "allocatable", "cpu"}), "4");
  EXPECT_FALSE(made.has({"metadata", "generation"}));
  EXPECT_EQ(remove("/api/v1/nodes/" + own("n")).status, 200);
}

TEST_F(Create, the_namespace_must_be_there) {
  const Reply rejected = post("/api/v1/namespaces/" + ns + "-not/configmaps", map("a"));
  EXPECT_EQ(rejected.status, 404);
  EXPECT_EQ(rejected.reason(), "NotFound");
  EXPECT_EQ(rejected.message(), "namespaces \"" + ns + "-not\" not found");
  EXPECT_EQ(rejected.text({"details", "kind"}), "namespaces");
}

TEST_F(Create, a_namespace_on_its_way_out_takes_nothing_new) {
  EXPECT_EQ(remove("/api/v1/namespaces/" + ns).status, 200);
  const Reply space = get("/api/v1/namespaces/" + ns);
  EXPECT_EQ(space.text({"status", "phase"}), "Terminating");
  EXPECT_TRUE(space.has({"metadata", "deletionTimestamp"}));
  const Reply rejected = post(maps(), map("a"));
  EXPECT_EQ(rejected.status, 403);
  EXPECT_EQ(rejected.reason(), "Forbidden");
  EXPECT_THAT(rejected.message(), testing::HasSubstr("because it is being terminated"));
  const auto& causes = simulator::array(rejected.body, {"details", "causes"});
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(simulator::text(causes[0], {"reason"}), "NamespaceTerminating");
}

TEST_F(Create, the_namespaces_of_path_and_object_agree) {
  Value made = map("a");
  simulator::set(made, {"metadata", "namespace"}, "default");
  const Reply rejected = post(maps(), made);
  EXPECT_EQ(rejected.status, 400);
  EXPECT_EQ(rejected.reason(), "BadRequest");
}

TEST_F(Create, a_resourceVersion_is_rejected) {
  Value made = map("a");
  simulator::set(made, {"metadata", "resourceVersion"}, "5");
  const Reply rejected = post(maps(), made);
  EXPECT_EQ(rejected.status, 500);
  EXPECT_EQ(rejected.message(), "resourceVersion should not be set on objects to be created");
}

TEST_F(Create, what_the_server_owns_cannot_be_set) {
  Value made = map("a");
  simulator::set(made, {"metadata", "uid"}, "mine");
  simulator::set(made, {"metadata", "deletionTimestamp"}, "2020-01-01T00:00:00Z");
  simulator::set(made, {"metadata", "creationTimestamp"}, "2020-01-01T00:00:00Z");
  const Reply reply = must_post(maps(), made);
  EXPECT_NE(reply.uid(), "mine");
  EXPECT_FALSE(reply.has({"metadata", "deletionTimestamp"}));
  EXPECT_NE(reply.text({"metadata", "creationTimestamp"}), "2020-01-01T00:00:00Z");
}

TEST_F(Create, what_is_no_json_is_a_bad_request) {
  const Reply rejected = call(runtime::Method::Post, maps(), "{\"metadata\":", "application/json");
  EXPECT_EQ(rejected.status, 400);
  EXPECT_EQ(rejected.reason(), "BadRequest");
}

TEST_F(Create, empty_metadata_is_left_out) {
  Value made = map("a");
  simulator::set(made, {"metadata", "labels"}, simulator::JsonObject{});
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{});
  const Reply reply = must_post(maps(), made);
  EXPECT_FALSE(reply.has({"metadata", "labels"}));
  EXPECT_FALSE(reply.has({"metadata", "finalizers"}));
}

TEST_F(Create, a_claim_waits_for_its_volume_and_is_protected) {
  const Reply made = must_post(in_namespace("persistentvolumeclaims"), json(R"({"apiVersion":"v1","kind":
    "PersistentVolumeClaim","metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":
    {"storage":"1Gi"}}}})"));
  EXPECT_EQ(made.text({"status", "phase"}), "Pending");
  EXPECT_EQ(encoded(*simulator::find(made.body, {"metadata", "finalizers"})), R"(["kubernetes.io/pvc-protection"])");
  EXPECT_EQ(made.text({"spec", "volumeMode"}), "Filesystem");
  const Reply going = remove(in_namespace("persistentvolumeclaims", "a"));
  EXPECT_EQ(going.status, 200);
  EXPECT_TRUE(get(in_namespace("persistentvolumeclaims", "a")).has({"metadata", "deletionTimestamp"}));
}

TEST_F(Create, what_exceeds_a_quota_is_forbidden) {
  must_post(in_namespace("resourcequotas"), json(R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},
    "spec":{"hard":{"pods":"1"}}})"));
  // Writes the status that the quota controller would write.
  const Reply counted = put(in_namespace("resourcequotas", "q") + "/status",
                            json(R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},
    "spec":{"hard":{"pods":"1"}},"status":{"hard":{"pods":"1"},"used":{"pods":"0"}}})"));
  ASSERT_EQ(counted.status, 200) << counted.raw;
  // The real server takes a moment to hear of the quota and of its status.
  std::string name;
  Reply rejected;
  for (int i = 0; i < 1000 && rejected.message().find("exceeded quota") == std::string::npos; ++i) {
    name = "p" + std::to_string(i);
    rejected = post(pods(), pod(name));
  }
  EXPECT_EQ(rejected.status, 403);
  EXPECT_EQ(rejected.reason(), "Forbidden");
  EXPECT_EQ(rejected.message(), "pods \"" + name +
                                    "\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, "
                                    "limited: pods=1");
  EXPECT_EQ(rejected.text({"details", "kind"}), "pods");
  EXPECT_EQ(rejected.text({"details", "name"}), name);
}

TEST_F(Create, a_headless_service_has_no_address) {
  const Reply made = must_post(in_namespace("services"), json(R"({"apiVersion":"v1","kind":"Service","metadata":
    {"name":"a"},"spec":{"clusterIP":"None","publishNotReadyAddresses":true,"selector":{"a":"b"}}})"));
  EXPECT_EQ(made.text({"spec", "clusterIP"}), "None");
  EXPECT_EQ(made.text({"spec", "type"}), "ClusterIP");
  EXPECT_EQ(made.text({"spec", "sessionAffinity"}), "None");
}

TEST_F(Create, every_cluster_has_its_namespaces_and_classes) {
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"})
    EXPECT_EQ(get(std::string("/api/v1/namespaces/") + name).text({"status", "phase"}), "Active");
  EXPECT_EQ(get("/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical").number({"value"}), 2000001000);
  EXPECT_EQ(get("/api/v1/namespaces/default").text({"metadata", "labels", "kubernetes.io/metadata.name"}), "default");
}

}  // namespace
}  // namespace reprise::contract
