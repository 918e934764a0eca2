#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

using Deletion = Contract;

TEST_F(Deletion, of_most_kinds_is_at_once_and_answered_with_a_status) {
  const Reply made = must_post(maps(), map("a"));
  const Reply gone = remove(maps("a"));
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(gone.text({"kind"}), "Status");
  EXPECT_EQ(gone.text({"status"}), "Success");
  EXPECT_EQ(gone.text({"details", "name"}), "a");
  EXPECT_EQ(gone.text({"details", "kind"}), "configmaps");
  EXPECT_EQ(gone.text({"details", "uid"}), made.uid());
  const Reply missing = get(maps("a"));
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.reason(), "NotFound");
  EXPECT_EQ(missing.message(), "configmaps \"a\" not found");
}

TEST_F(Deletion, of_what_is_gone_is_not_found) {
  EXPECT_EQ(remove(maps("a")).status, 404);
  EXPECT_EQ(remove(jobs("a")).message(), "resumablejobs.reprise.dev \"a\" not found");
}

TEST_F(Deletion, by_another_uid_is_a_conflict) {
  const Reply made = must_post(pods(), pod("a"));
  const Reply rejected = remove(pods("a"), R"({"preconditions":{"uid":"another"}})");
  EXPECT_EQ(rejected.status, 409);
  EXPECT_EQ(rejected.reason(), "Conflict");
  EXPECT_EQ(rejected.message(),
            "Operation cannot be fulfilled on Pod \"a\": the UID in the precondition (another) does "
            "not match the UID in record (" +
                made.uid() + "). The object might have been deleted and then recreated");
  EXPECT_EQ(remove(pods("a"), R"({"preconditions":{"uid":")" + made.uid() + R"("}})").status, 200);
  EXPECT_EQ(get(pods("a")).status, 404);
}

TEST_F(Deletion, by_an_old_version_is_a_conflict) {
  const Reply made = must_post(maps(), map("a"));
  const Reply changed = merge(maps("a"), R"({"data":{"k":"w"}})");
  const auto at = [](const std::string& version) {
    return R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"resourceVersion":")" + version + R"("}})";
  };
  const Reply rejected = remove(maps("a"), at(made.version()));
  EXPECT_EQ(rejected.status, 409);
  EXPECT_THAT(rejected.message(), testing::HasSubstr("the ResourceVersion in the precondition (" + made.version() +
                                                     ") does not match the ResourceVersion in record"));
  EXPECT_EQ(remove(maps("a"), at(changed.version())).status, 200);
}

TEST_F(Deletion, waits_for_finalizers) {
  Value made = job("a");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"reprise.dev/job"});
  must_post(jobs(), made);
  const Reply going = remove(jobs("a"));
  EXPECT_EQ(going.status, 200);
  EXPECT_EQ(going.text({"kind"}), "ResumableJob");
  EXPECT_TRUE(going.has({"metadata", "deletionTimestamp"}));
  EXPECT_EQ(going.number({"metadata", "deletionGracePeriodSeconds"}), 0);
  EXPECT_EQ(going.number({"metadata", "generation"}), 2);
  EXPECT_EQ(remove(jobs("a")).version(), going.version());
  const Reply last = json_patch(jobs("a"), R"([{"op":"remove","path":"/metadata/finalizers/0"}])");
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(get(jobs("a")).status, 404);
}

TEST_F(Deletion, cannot_be_taken_back) {
  Value made = map("a");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"x.dev/a"});
  must_post(maps(), made);
  remove(maps("a"));
  const Reply tried = merge(maps("a"), R"({"metadata":{"deletionTimestamp":null}})");
  EXPECT_TRUE(tried.has({"metadata", "deletionTimestamp"}));
  merge(maps("a"), R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(get(maps("a")).status, 404);
}

TEST_F(Deletion, in_the_foreground_waits_for_the_garbage_collector) {
  must_post(jobs(), job("a"));
  const Reply going = remove(jobs("a"), R"({"propagationPolicy":"Foreground"})");
  EXPECT_EQ(going.status, 200);
  EXPECT_EQ(encoded(*simulator::find(going.body, {"metadata", "finalizers"})), R"(["foregroundDeletion"])");
  EXPECT_TRUE(get(jobs("a")).has({"metadata", "deletionTimestamp"}));
  EXPECT_EQ(merge(jobs("a"), R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(get(jobs("a")).status, 404);
}

TEST_F(Deletion, that_orphans_waits_for_the_garbage_collector) {
  must_post(maps(), map("a"));
  const Reply going = remove(maps("a"), R"({"propagationPolicy":"Orphan"})");
  EXPECT_EQ(going.status, 200);
  EXPECT_EQ(encoded(*simulator::find(going.body, {"metadata", "finalizers"})), R"(["orphan"])");
  EXPECT_EQ(merge(maps("a"), R"({"metadata":{"finalizers":null}})").status, 200);
}

TEST_F(Deletion, that_is_asked_for_again_may_change_what_becomes_of_dependents) {
  Value made = job("a");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"x.dev/a"});
  must_post(jobs(), made);
  const auto finalizers = [this](const char* policy) {
    const Reply going = remove(jobs("a"), std::string(R"({"propagationPolicy":")") + policy + R"("})");
    EXPECT_EQ(going.number({"metadata", "generation"}), 2);
    return encoded(*simulator::find(going.body, {"metadata", "finalizers"}));
  };
  EXPECT_EQ(finalizers("Foreground"), R"(["x.dev/a","foregroundDeletion"])");
  EXPECT_EQ(finalizers("Orphan"), R"(["x.dev/a","orphan"])");
  EXPECT_EQ(finalizers("Background"), R"(["x.dev/a"])");
  EXPECT_EQ(merge(jobs("a"), R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(get(jobs("a")).status, 404);
}

TEST_F(Deletion, has_a_policy_that_exists) {
  must_post(maps(), map("a"));
  const Reply rejected = remove(maps("a"), R"({"propagationPolicy":"Bad"})");
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(rejected.message(), testing::StartsWith("DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: "
                                                      "Unsupported value: \"Bad\""));
}

TEST_F(Deletion, is_not_begun_by_an_update) {
  must_post(maps(), map("a"));
  const Reply rejected = merge(maps("a"), R"({"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z"}})");
  EXPECT_EQ(rejected.status, 422);
  EXPECT_EQ(rejected.message(),
            "ConfigMap \"a\" is invalid: metadata.deletionTimestamp: Invalid value: "
            "\"2020-01-01T00:00:00Z\": field is immutable");
}

TEST_F(Deletion, by_the_last_finalizer_is_answered_with_the_version_before) {
  Value made = map("a");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"x.dev/a"});
  must_post(maps(), made);
  const Reply going = remove(maps("a"));
  const Reply last = merge(maps("a"), R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.version(), going.version());
}

TEST_F(Deletion, of_a_node_claim_waits_for_its_termination) {
  const std::string claims = "/apis/karpenter.sh/v1/nodeclaims", name = own("c");
  const Reply made =
      must_post(claims, json(R"({"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":")" + name +
                             R"(","finalizers":["karpenter.sh/termination"]},"spec":{
    "nodeClassRef":{"group":"karpenter.kwok.sh","kind":"KWOKNodeClass","name":"default"},"requirements":[
    {"key":"karpenter.sh/capacity-type","operator":"In","values":["spot"]}]}})"));
  const Reply rejected = remove(claims + "/" + name, R"({"preconditions":{"uid":"another"}})");
  EXPECT_EQ(rejected.status, 409);
  EXPECT_THAT(rejected.message(), testing::StartsWith("Operation cannot be fulfilled on NodeClaim.karpenter.sh \"" +
                                                      name + "\": the UID in"));
  const Reply going = remove(claims + "/" + name, R"({"preconditions":{"uid":")" + made.uid() + R"("}})");
  EXPECT_EQ(going.status, 200);
  EXPECT_TRUE(going.has({"metadata", "deletionTimestamp"}));
  EXPECT_EQ(merge(claims + "/" + name, R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(get(claims + "/" + name).status, 404);
}

TEST_F(Deletion, in_the_background_is_at_once) {
  must_post(maps(), map("a"));
  EXPECT_EQ(remove(maps("a"), R"({"propagationPolicy":"Background"})").text({"status"}), "Success");
  EXPECT_EQ(get(maps("a")).status, 404);
}

TEST_F(Deletion, of_a_collection_takes_what_is_selected) {
  must_post(maps(), map("a", "x"));
  must_post(maps(), map("b", "y"));
  const Reply gone = remove(maps() + "?labelSelector=app%3Dx");
  EXPECT_EQ(gone.status, 200) << gone.raw;
  EXPECT_EQ(get(maps("a")).status, 404);
  EXPECT_EQ(get(maps("b")).status, 200);
}

TEST_F(Deletion, a_new_object_of_the_name_has_another_uid) {
  const Reply first = must_post(maps(), map("a"));
  remove(maps("a"));
  EXPECT_NE(must_post(maps(), map("a")).uid(), first.uid());
}

}  // namespace
}  // namespace reprise::contract
