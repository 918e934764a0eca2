// The invariants about a job's cost and its wait for spot object to violations and to nothing else.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using std::chrono::hours;

class PlacementInvariants : public testing::InvariantBench {};

TEST_F(PlacementInvariants, no_attempt_begins_when_a_job_has_cost_what_it_may) {
  const auto invariant = cost_limit_holds(api);
  const auto job = [](int attempt, const char* spent, const char* limit) {
    return R"({"metadata": {"name": "j"}, "spec": {"placement": {"maxCost": ")" + std::string(limit) +
           R"("}}, "status": {"attempt": )" + std::to_string(attempt) + R"(, "cost": {"spent": ")" + spent + R"("}}})";
  };
  EXPECT_TRUE(reported(*invariant, job_change(job(1, "0.99", "1.00").c_str(), job(2, "0.99", "1.00").c_str())).empty());
  EXPECT_TRUE(reported(*invariant, job_change(job(2, "0.99", "1.00").c_str(), job(2, "1.00", "1.00").c_str())).empty());
  EXPECT_TRUE(reported(*invariant, job_change(job(2, "1.00", "1.00").c_str(), job(3, "1.00", "2").c_str())).size() == 1)
      << "the limit of before the attempt began counts: who raises it begins none by that";
  EXPECT_EQ(reported(*invariant, job_change(job(2, "1.00", "1.00").c_str(), job(3, "1.00", "1.00").c_str())).size(),
            1U);
}

// Two hours of work until six o'clock: spot may be waited for until 3:36.
TEST_F(PlacementInvariants, no_pod_waits_for_spot_once_only_on_demand_capacity_is_in_time) {
  const char* job = R"({"metadata": {"name": "j", "uid": "job"}, "spec": {"placement":
      {"completeBy": "2026-01-01T06:00:00Z", "estimatedSeconds": 7200}}, "status": {"attempt": 1}})";
  const auto objections = [&](const char* capacity, hours time) {
    EventLoop fresh;
    ApiServer objects(fresh, random);
    EXPECT_TRUE(objects.add_custom_resource(crds::resumable_jobs()));
    const auto invariant = waits_in_time(objects, fresh);
    EXPECT_TRUE(objects.create(objects.resource("", "pods"), boost::json::parse(R"({"metadata": {"name": "p",
        "namespace": "default", "labels": {"reprise.dev/job-uid": "job", "reprise.dev/attempt": "1"}},
        "spec": {"nodeSelector": {"karpenter.sh/capacity-type": ")" + std::string(capacity) +
                                                                                R"("},
        "containers": [{"name": "c", "image": "i"}]}})")));
    fresh.run_until(time);
    const ObjectChange change{.resource = objects.resource("reprise.dev", "resumablejobs"),
                              .change = Change::Modified,
                              .object = std::make_shared<const Value>(boost::json::parse(job)),
                              .before = std::make_shared<const Value>(boost::json::parse(job))};
    return reported(*invariant, change).size();
  };
  EXPECT_EQ(objections("spot", hours(3)), 0U);
  EXPECT_EQ(objections("spot", hours(5)), 1U);
  EXPECT_EQ(objections("on-demand", hours(5)), 0U);
}

}  // namespace
}  // namespace reprise::simulator
