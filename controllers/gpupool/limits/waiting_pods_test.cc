// For how long pods wait without an answer, and what becomes of the money that they ask for.
#include "controllers/gpupool/limits/waiting_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/testing/rented_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::Rented;

TEST(Unanswered, is_a_pod_until_a_machine_is_launched) {
  Rented rented("2.00");
  Unanswered clock;
  const runtime::Instant now{};
  rented.with_waiting("spot");
  EXPECT_EQ(clock.look(rented.seen_, now).at("uid-p0"), seconds(0));
  rented.with_waiting("");
  EXPECT_EQ(clock.look(rented.seen_, now).at("uid-p1"), seconds(0));
  rented.with_waiting("");
  const auto later = clock.look(rented.seen_, now + seconds(70));
  EXPECT_EQ(later.at("uid-p1"), seconds(70));
  EXPECT_EQ(later.at("uid-p2"), seconds(0));
  rented.with_machine("spot", [](auto& claim) { claim.conditions = {{"Launched", "Unknown", "", ""}}; });
  EXPECT_EQ(clock.look(rented.seen_, now + seconds(80)).at("uid-p1"), seconds(80)) << "the cloud may have none";
  rented.with_machine("spot", [](auto& claim) { claim.conditions = {{"Launched", "True", "", ""}}; });
  EXPECT_EQ(clock.look(rented.seen_, now + seconds(90)).at("uid-p1"), seconds(0));
}

TEST(Unanswered, is_a_pod_that_machines_for_others_have_passed_by_for_hours) {
  Rented rented("9.00");
  Unanswered clock;
  runtime::Instant now{};
  rented.with_waiting("");  // by its affinity it takes on demand alone
  seconds longest(0);
  for (int i = 0; i < 200; ++i) {  // a spot machine comes every two minutes and takes one to be there
    rented.seen_.node_claims.clear();
    rented.with_machine("spot", [](auto& claim) { claim.conditions = {{"Launched", "True", "", ""}}; });
    longest = std::max(longest, clock.look(rented.seen_, now += seconds(60)).at("uid-p0"));
    rented.seen_.node_claims.clear();
    rented.with_machine("spot", [](auto&) {});
    longest = std::max(longest, clock.look(rented.seen_, now += seconds(59)).at("uid-p0"));
  }
  EXPECT_GE(turn_after(longest).number, 1U) << "the other capacity never had its turn in " << 200 * 119 / 3600 << " h";
}

TEST(CostLimit, what_the_cloud_does_not_have_keeps_no_money_from_later_pods_for_ever) {
  Rented rented("2.00");
  rented.with_waiting("spot", "5", [](auto& pod) { pod.meta.creation_timestamp = kStart - std::chrono::hours(24); });
  rented.with_waiting("on-demand", "1",
                      [](auto& pod) { pod.meta.creation_timestamp = kStart - std::chrono::hours(23); });
  rented.seen_.unanswered["uid-p0"] = minutes(3);
  EXPECT_THAT(rented.limits(), ElementsAre("5", "0"));
  rented.seen_.unanswered["uid-p0"] = minutes(7);  // its fourth turn
  EXPECT_EQ(rented.limits()[1], "1");
  rented.seen_.unanswered["uid-p0"] = minutes(15);
  EXPECT_THAT(rented.limits(), ElementsAre("5", "0")) << "it is its turn again";
}

}  // namespace
}  // namespace reprise::controllers::gpupool
