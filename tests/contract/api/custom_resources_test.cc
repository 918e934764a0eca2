#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

class CustomResources : public Contract {
 protected:
  Reply create_with(simulator::Path path, Value value) {
    Value made = job("a");
    simulator::set(made, path, std::move(value));
    return post(jobs(), made);
  }
  // The first thing that is wrong, as "reason field: message".
  static std::string cause(const Reply& rejected) {
    EXPECT_EQ(rejected.status, 422) << rejected.raw;
    EXPECT_EQ(rejected.reason(), "Invalid");
    const auto& causes = simulator::array(rejected.body, {"details", "causes"});
    if (causes.empty()) return {};
    return std::string(simulator::text(causes[0], {"reason"})) + " " +
           std::string(simulator::text(causes[0], {"field"})) + ": " +
           std::string(simulator::text(causes[0], {"message"}));
  }
};

TEST_F(CustomResources, get_their_defaults) {
  const Reply made = must_post(jobs(), job("a"));
  EXPECT_EQ(made.number({"spec", "parallelism"}), 1);
  EXPECT_EQ(made.text({"spec", "resume"}), "Latest");
  EXPECT_EQ(made.number({"spec", "checkpoint", "graceSeconds"}), 110);
  EXPECT_TRUE(made.has({"spec", "interruption"}));
  EXPECT_TRUE(made.has({"spec", "suspend"}));
}

TEST_F(CustomResources, lose_what_their_schema_does_not_know) {
  Value made = job("a");
  simulator::set(made, {"spec", "nonsense"}, 1);
  simulator::set(made, {"spec", "checkpoint", "nonsense"}, simulator::JsonObject{{"a", 1}});
  const Reply reply = must_post(jobs(), made);
  EXPECT_FALSE(reply.has({"spec", "nonsense"}));
  EXPECT_FALSE(reply.has({"spec", "checkpoint", "nonsense"}));
}

TEST_F(CustomResources, null_takes_a_default_where_null_is_not_allowed) {
  EXPECT_EQ(create_with({"spec", "backoffLimit"}, nullptr).number({"spec", "backoffLimit"}), 3);
}

TEST_F(CustomResources, have_their_types) {
  EXPECT_EQ(cause(create_with({"spec", "backoffLimit"}, "three")),
            "FieldValueTypeInvalid spec.backoffLimit: Invalid value: \"string\": spec.backoffLimit in body must be of "
            "type integer: \"string\"");
}

TEST_F(CustomResources, tell_that_rules_could_not_be_looked_at) {
  EXPECT_EQ(
      create_with({"spec", "resume"}, "Sometimes").message(),
      "ResumableJob.reprise.dev \"a\" is invalid: [spec.resume: Unsupported value: \"Sometimes\": supported values: "
      "\"Latest\", \"Never\", \"FromScratch\", <nil>: Invalid value: null: some validation rules were not checked "
      "because the object was invalid; correct the existing errors to complete validation]");
}

TEST_F(CustomResources, have_times_that_can_be_read) {
  must_post(jobs(), job("a"));
  const Reply rejected = merge(jobs("a/status"), R"({"status":{"conditions":[{"type":"T","status":"True","reason":"R",
    "message":"","lastTransitionTime":"yesterday"}]}})");
  EXPECT_THAT(cause(rejected), testing::StartsWith("FieldValueTypeInvalid status.conditions[0].lastTransitionTime: "
                                                   "Invalid value: \"yesterday\": "));
}

TEST_F(CustomResources, have_what_is_required) {
  Value made = job("a");
  simulator::unset(made, {"spec", "checkpoint", "path"});
  const Reply rejected = post(jobs(), made);
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(rejected.message(), testing::StartsWith("ResumableJob.reprise.dev \"a\" is invalid: "));
  EXPECT_THAT(rejected.message(), testing::HasSubstr("spec.checkpoint.path: Required value"));
}

TEST_F(CustomResources, have_allowed_values) {
  EXPECT_EQ(cause(create_with({"spec", "resume"}, "Sometimes")),
            "FieldValueNotSupported spec.resume: Unsupported value: \"Sometimes\": supported values: \"Latest\", "
            "\"Never\", \"FromScratch\"");
}

TEST_F(CustomResources, stay_within_bounds) {
  EXPECT_EQ(
      cause(create_with({"spec", "backoffLimit"}, -1)),
      "FieldValueInvalid spec.backoffLimit: Invalid value: -1: spec.backoffLimit in body should be greater than or "
      "equal to 0");
  EXPECT_EQ(
      cause(create_with({"spec", "backoffLimit"}, 10001)),
      "FieldValueInvalid spec.backoffLimit: Invalid value: 10001: spec.backoffLimit in body should be less than or "
      "equal to 10000");
}

TEST_F(CustomResources, have_texts_of_the_right_length_and_form) {
  EXPECT_EQ(cause(create_with({"spec", "poolName"}, Value(std::string(49, 'a')))),
            "FieldValueTooLong spec.poolName: Too long: may not be more than 48 bytes");
  EXPECT_EQ(cause(create_with({"spec", "poolName"}, "A")),
            "FieldValueInvalid spec.poolName: Invalid value: \"A\": spec.poolName in body should match "
            "'^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'");
}

TEST_F(CustomResources, have_no_more_elements_than_allowed) {
  must_post(jobs(), job("a"));
  std::string conditions;
  for (int i = 0; i < 17; ++i) {
    conditions += std::string(i > 0 ? "," : "") + R"({"type":"T)" + std::to_string(i) +
                  R"(","status":"True","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"})";
  }
  const Reply rejected = merge(jobs("a/status"), R"({"status":{"conditions":[)" + conditions + "]}}");
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(rejected.message(), testing::HasSubstr("status.conditions: Too many: 17: must have at most 16 items"));
}

TEST_F(CustomResources, have_each_key_of_a_list_once) {
  must_post(jobs(), job("a"));
  const std::string one =
      R"({"type":"T","status":"True","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"})";
  EXPECT_EQ(cause(merge(jobs("a/status"), R"({"status":{"conditions":[)" + one + "," + one + "]}}")),
            "FieldValueDuplicate status.conditions[1]: Duplicate value: {\"type\":\"T\"}");
}

TEST_F(CustomResources, have_numbers_or_texts_where_both_are_fine) {
  Value made = job("a");
  simulator::set(made, {"spec", "checkpoint", "volume", "claimTemplate", "spec", "resources", "requests", "storage"},
                 1000);
  EXPECT_EQ(must_post(jobs(), made)
                .number({"spec", "checkpoint", "volume", "claimTemplate", "spec", "resources", "requests", "storage"}),
            1000);
}

TEST_F(CustomResources, name_their_kind) {
  Value made = job("a");
  made.get_object().erase("kind");
  EXPECT_EQ(post(jobs(), made).status, 400);
  made = job("a");
  made.get_object()["apiVersion"] = "reprise.dev/v9";
  EXPECT_EQ(post(jobs(), made).status, 400);
}

TEST_F(CustomResources, are_checked_when_patched) {
  must_post(jobs(), job("a"));
  EXPECT_EQ(merge(jobs("a"), R"({"spec":{"backoffLimit":-1}})").status, 422);
  EXPECT_EQ(merge(jobs("a"), R"({"spec":{"resume":null}})").text({"spec", "resume"}), "Latest");
}

TEST_F(CustomResources, of_the_cluster_lie_in_no_namespace) {
  const std::string all = "/apis/reprise.dev/v1alpha1/gpupools";
  EXPECT_EQ(get(all + "/" + own("p")).message(), "gpupools.reprise.dev \"" + own("p") + "\" not found");
  EXPECT_EQ(get("/apis/reprise.dev/v1alpha1/namespaces/" + ns + "/gpupools").status, 404);
}

}  // namespace
}  // namespace reprise::contract
