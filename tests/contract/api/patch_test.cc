#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

using Patch = Contract;

constexpr const char* misfit = "the server rejected our request due to an error in our request";

TEST_F(Patch, a_test_that_does_not_hold_is_422_without_a_kind) {
  must_post(maps(), map("a"));
  const Reply rejected = json_patch(
      maps("a"), R"([{"op":"test","path":"/metadata/uid","value":"x"},{"op":"add","path":"/data/z","value":"1"}])");
  EXPECT_EQ(rejected.status, 422);
  EXPECT_EQ(rejected.reason(), "Invalid");
  EXPECT_EQ(rejected.message(), misfit);
  EXPECT_EQ(rejected.text({"details", "kind"}), "");
  EXPECT_FALSE(get(maps("a")).has({"data", "z"}));
}

TEST_F(Patch, what_is_not_there_tests_as_null) {
  const Reply made = must_post(jobs(), job("a"));
  const Reply patched =
      json_patch(jobs("a"), R"([{"op":"test","path":"/metadata/uid","value":")" + made.uid() +
                                R"("},{"op":"test","path":"/metadata/finalizers","value":null},)"
                                R"({"op":"add","path":"/metadata/finalizers","value":["reprise.dev/job"]}])");
  EXPECT_EQ(patched.status, 200) << patched.raw;
  EXPECT_EQ(encoded(*simulator::find(patched.body, {"metadata", "finalizers"})), R"(["reprise.dev/job"])");
  EXPECT_EQ(json_patch(jobs("a"), R"([{"op":"test","path":"/metadata/finalizers","value":null}])").status, 422);
}

TEST_F(Patch, a_finalizer_is_removed_by_its_place) {
  Value made = job("a");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"x.dev/one", "x.dev/two"});
  must_post(jobs(), made);
  const auto removal = [](const char* expected) {
    return std::string(R"([{"op":"test","path":"/metadata/finalizers/1","value":")") + expected +
           R"("},{"op":"remove","path":"/metadata/finalizers/1"}])";
  };
  EXPECT_EQ(json_patch(jobs("a"), removal("x.dev/one")).status, 422);
  EXPECT_EQ(json_patch(jobs("a"), removal("x.dev/two")).status, 200);
  EXPECT_EQ(json_patch(jobs("a"), removal("x.dev/two")).status, 422);
}

TEST_F(Patch, what_is_not_there_is_neither_removed_nor_replaced) {
  must_post(maps(), map("a"));
  for (const char* patch :
       {R"([{"op":"remove","path":"/data/none"}])", R"([{"op":"remove","path":"/metadata/finalizers/0"}])",
        R"([{"op":"replace","path":"/metadata/finalizers/0","value":"x.dev/a"}])",
        R"([{"op":"test","path":"/none/below","value":null}])", R"([{"op":"bogus","path":"/data/k"}])",
        R"([{"op":"add","path":"/none/below","value":"1"}])", R"([{"op":"test","path":"/data/none","value":"1"}])"}) {
    const Reply rejected = json_patch(maps("a"), patch);
    EXPECT_EQ(rejected.status, 422) << patch;
    EXPECT_EQ(rejected.message(), misfit) << patch;
  }
}

TEST_F(Patch, a_member_that_is_not_there_is_replaced_nevertheless) {
  must_post(maps(), map("a"));
  const Reply patched = json_patch(maps("a"), R"([{"op":"replace","path":"/data/none","value":"1"}])");
  EXPECT_EQ(patched.status, 200);
  EXPECT_EQ(patched.text({"data", "none"}), "1");
}

TEST_F(Patch, elements_are_added_by_place_and_at_the_end) {
  Value made = map("a");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"x.dev/b"});
  must_post(maps(), made);
  const Reply patched = json_patch(maps("a"), R"([{"op":"add","path":"/metadata/finalizers/0","value":"x.dev/a"},
    {"op":"add","path":"/metadata/finalizers/-","value":"x.dev/c"}])");
  EXPECT_EQ(encoded(*simulator::find(patched.body, {"metadata", "finalizers"})), R"(["x.dev/a","x.dev/b","x.dev/c"])");
  EXPECT_EQ(merge(maps("a"), R"({"metadata":{"finalizers":null}})").status, 200);
}

TEST_F(Patch, slashes_in_keys_are_escaped) {
  must_post(maps(), map("a"));
  const Reply patched = json_patch(maps("a"), R"([{"op":"add","path":"/metadata/annotations","value":{}},)"
                                              R"({"op":"add","path":"/metadata/annotations/x.dev~1a","value":"1"}])");
  EXPECT_EQ(patched.text({"metadata", "annotations", "x.dev/a"}), "1");
}

TEST_F(Patch, values_move_and_are_copied) {
  must_post(maps(), map("a"));
  const Reply patched = json_patch(maps("a"), R"([{"op":"copy","from":"/data/k","path":"/data/c"},
    {"op":"move","from":"/data/k","path":"/data/m"}])");
  EXPECT_EQ(encoded(*simulator::find(patched.body, {"data", "c"})), R"("v")");
  EXPECT_EQ(encoded(*simulator::find(patched.body, {"data", "m"})), R"("v")");
  EXPECT_FALSE(patched.has({"data", "k"}));
}

TEST_F(Patch, a_json_patch_is_a_list) {
  must_post(maps(), map("a"));
  const Reply rejected = json_patch(maps("a"), R"({"op":"remove"})");
  EXPECT_EQ(rejected.status, 400);
  EXPECT_EQ(rejected.reason(), "BadRequest");
}

TEST_F(Patch, merging_replaces_lists_and_null_removes) {
  Value made = map("a", "one");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"x.dev/a", "x.dev/b"});
  must_post(maps(), made);
  const Reply merged = merge(maps("a"), R"({"metadata":{"labels":null,"finalizers":["x.dev/c"]}})");
  EXPECT_FALSE(merged.has({"metadata", "labels"}));
  EXPECT_EQ(encoded(*simulator::find(merged.body, {"metadata", "finalizers"})), R"(["x.dev/c"])");
  EXPECT_EQ(merge(maps("a"), R"({"metadata":{"finalizers":null}})").status, 200);
}

TEST_F(Patch, an_object_keeps_its_name_its_namespace_and_its_birth) {
  const Reply made = must_post(maps(), map("a"));
  const Reply renamed = merge(maps("a"), R"({"metadata":{"name":"b"}})");
  EXPECT_EQ(renamed.status, 400);
  EXPECT_EQ(renamed.message(), "the name of the object (b) does not match the name on the URL (a)");
  const Reply moved = merge(maps("a"), R"({"metadata":{"namespace":"default"}})");
  EXPECT_EQ(moved.status, 400);
  const Reply reborn = merge(maps("a"), R"({"metadata":{"creationTimestamp":"2020-01-01T00:00:00Z","generation":7}})");
  EXPECT_EQ(reborn.status, 200);
  EXPECT_EQ(reborn.version(), made.version());
}

TEST_F(Patch, merging_no_version_is_unconditional) {
  must_post(maps(), map("a"));
  EXPECT_EQ(merge(maps("a"), R"({"metadata":{"resourceVersion":null},"data":{"k":"1"}})").status, 200);
  EXPECT_EQ(merge(maps("a"), R"({"metadata":{"resourceVersion":"0"},"data":{"k":"2"}})").status, 200);
}

TEST_F(Patch, merging_an_old_version_is_a_conflict) {
  const Reply made = must_post(maps(), map("a"));
  ASSERT_EQ(merge(maps("a"), R"({"data":{"k":"w"}})").status, 200);
  const Reply rejected =
      merge(maps("a"), R"({"metadata":{"resourceVersion":")" + made.version() + R"("},"data":{"k":"x"}})");
  EXPECT_EQ(rejected.status, 409);
  EXPECT_EQ(rejected.reason(), "Conflict");
}

TEST_F(Patch, merging_another_uid_is_invalid) {
  must_post(pods(), pod("a"));
  const Reply rejected = merge(pods("a"), R"({"metadata":{"uid":"another","annotations":{"x.dev/ask":"1"}}})");
  EXPECT_EQ(rejected.status, 422) << rejected.raw;
  EXPECT_EQ(rejected.message(), "Pod \"a\" is invalid: metadata.uid: Invalid value: \"another\": field is immutable");
  EXPECT_FALSE(get(pods("a")).has({"metadata", "annotations"}));
}

TEST_F(Patch, merging_the_right_uid_is_fine) {
  const Reply made = must_post(pods(), pod("a"));
  const Reply merged =
      merge(pods("a"), R"({"metadata":{"uid":")" + made.uid() + R"(","annotations":{"x.dev/ask":"1"}}})");
  EXPECT_EQ(merged.status, 200) << merged.raw;
  EXPECT_EQ(merged.text({"metadata", "annotations", "x.dev/ask"}), "1");
}

TEST_F(Patch, the_kind_of_patch_must_be_known) {
  must_post(maps(), map("a"));
  const Reply rejected = call(runtime::Method::Patch, maps("a"), "{}", "application/json");
  EXPECT_EQ(rejected.status, 415);
  EXPECT_EQ(rejected.reason(), "UnsupportedMediaType");
}

TEST_F(Patch, no_finalizer_is_added_to_what_is_being_deleted) {
  Value made = map("a");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"x.dev/a"});
  must_post(maps(), made);
  EXPECT_EQ(remove(maps("a")).status, 200);
  const Reply rejected = merge(maps("a"), R"({"metadata":{"finalizers":["x.dev/a","x.dev/b"]}})");
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(rejected.message(), testing::HasSubstr("no new finalizers can be added if the object is being deleted, "
                                                     "found new finalizers []string{\"x.dev/b\"}"));
  EXPECT_EQ(merge(maps("a"), R"({"metadata":{"finalizers":null}})").status, 200);
}

}  // namespace
}  // namespace reprise::contract
