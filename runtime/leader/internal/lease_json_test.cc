#include "runtime/leader/internal/lease_json.h"

#include <gtest/gtest.h>

#include "runtime/internal/json.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;

LeaseRecord lease_of(const std::string& holder) {
  return {.resource_version = "71",
          .holder = holder,
          .duration = seconds(15),
          .acquired = WallTime{seconds(1'700'000'000)},
          .renewed = WallTime{std::chrono::microseconds(1'700'000'002'000'345)},
          .transitions = 3};
}

TEST(LeaseJson, what_was_written_is_read_again_whatever_the_holder_is_called) {
  for (const char* holder : {"", "operator-0", "a \"b\" \\ c\n\x01", "J\xc3\xbcrgen", "/slashes/"}) {
    const auto read = read_lease(encode_lease_patch(lease_of(holder)));
    ASSERT_TRUE(read) << holder;
    EXPECT_EQ(*read, lease_of(holder));
  }
}

TEST(LeaseJson, a_new_lease_has_its_kind_and_its_place) {
  const auto made = internal::parse_json(encode_new_lease("reprise-system", "a \"lease\"", lease_of("me")));
  ASSERT_TRUE(made);
  EXPECT_EQ(internal::text_of(*made, "apiVersion"), "coordination.k8s.io/v1");
  EXPECT_EQ(internal::text_of(*made, "kind"), "Lease");
  const Json::Value& metadata = internal::member(*made, "metadata");
  EXPECT_EQ(internal::text_of(metadata, "namespace"), "reprise-system");
  EXPECT_EQ(internal::text_of(metadata, "name"), "a \"lease\"");
  EXPECT_EQ(internal::text_of(internal::member(*made, "spec"), "renewTime"), "2023-11-14T22:13:22.000345Z");
}

TEST(LeaseJson, what_is_absent_or_of_another_type_reads_as_nothing) {
  for (const char* json : {"{}", R"({"metadata":[],"spec":"x"})",
                           R"({"spec":{"holderIdentity":7,"leaseDurationSeconds":"15","renewTime":"soon"}})"}) {
    const auto read = read_lease(json);
    ASSERT_TRUE(read) << json;
    EXPECT_EQ(*read, LeaseRecord{}) << json;
  }
}

TEST(LeaseJson, a_holder_whose_name_is_not_utf8_is_somebody) {
  const auto read = read_lease("{\"spec\":{\"holderIdentity\":\"\xff\xfe\",\"leaseTransitions\":4}}");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->holder.empty());
  EXPECT_EQ(read->transitions, 4);
}

TEST(LeaseJson, a_number_wider_than_an_api_server_keeps_is_its_widest) {
  const auto read = read_lease(R"({"spec":{"leaseDurationSeconds":6666666666666666652}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->duration, seconds(2'147'483'647));
  const auto below =
      read_lease(R"({"spec":{"leaseDurationSeconds":-6666666666666666652,"leaseTransitions":9223372036854775807}})");
  ASSERT_TRUE(below);
  EXPECT_EQ(below->duration, seconds(-2'147'483'648));
  EXPECT_EQ(below->transitions, 2'147'483'647);
}

TEST(LeaseJson, what_is_no_json_object_is_rejected) {
  for (const char* json : {"", "null", "[]", "\"x\"", "{", "{\"spec\":\"\xff\"", "<html>"})
    EXPECT_FALSE(read_lease(json)) << json;
}

}  // namespace
}  // namespace reprise::runtime
