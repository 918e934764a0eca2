#include "simulator/scenarios/run/job_ends.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "simulator/api_server/schema/custom_resource.h"

namespace reprise::simulator {
namespace {

struct JobEndsTest : testing::Test {
  JobEndsTest() {
    api.add_custom_resource(custom_rules_without_schema({.group = "reprise.dev",
                                                         .version = "v1alpha1",
                                                         .plural = "resumablejobs",
                                                         .kind = "ResumableJob",
                                                         .namespaced = true}));
    for (const char* name : {"first", "second"}) {
      JobPlan plan;
      plan.name = name;
      plan.claim = "shared";
      workload.jobs.push_back(plan);
    }
  }
  // Waits for that reason. True: it counts as ended.
  bool may_wait(const char* name, const char* type, const char* reason, std::int64_t deadline_seconds = 0) {
    Value job = boost::json::parse(R"({"metadata": {"namespace": "default"}, "spec": {}})");
    set(job, {"metadata", "name"}, std::string_view(name));
    if (deadline_seconds > 0) set(job, {"spec", "activeDeadlineSeconds"}, Value(deadline_seconds));
    set(job, {"status", "conditions"},
        Value(JsonArray{JsonObject{{"type", type}, {"status", "True"}, {"reason", reason}}}));
    const auto made = api.create(api.resource("reprise.dev", "resumablejobs"), job);
    EXPECT_TRUE(made);
    const JobEnds ends(
        api, workload, [this] { return tampered; }, [this](const Value& each) { return name_of(each) == seen_to; });
    return ends.ended(**made);
  }

  EventLoop loop;
  runtime::SeededRandom random{1};
  ApiServer api{loop, random};
  Workload workload;
  std::set<std::string> tampered{"first"};
  std::string seen_to;  // a person has that one go on
};

TEST_F(JobEndsTest, whose_checkpoints_a_fault_took_may_wait_and_with_it_who_waits_for_its_claim) {
  EXPECT_TRUE(may_wait("first", "Stalled", "CheckpointLost"));
  EXPECT_TRUE(may_wait("second", "Waiting", "ClaimInUse"));
}

TEST_F(JobEndsTest, who_has_a_deadline_has_not_ended_before_it) {
  EXPECT_FALSE(may_wait("first", "Stalled", "CheckpointLost", 3'600));
  EXPECT_FALSE(may_wait("second", "Waiting", "ClaimInUse")) << "its turn comes";
}

TEST_F(JobEndsTest, whom_a_person_has_go_on_has_not_ended) {
  EXPECT_TRUE(may_wait("first", "Stalled", "CheckpointLost"));
  seen_to = "second";
  EXPECT_FALSE(may_wait("second", "Waiting", "ClaimInUse"));
}

TEST_F(JobEndsTest, nobody_waits_for_checkpoints_that_no_fault_took) {
  tampered.clear();
  EXPECT_FALSE(may_wait("first", "Stalled", "CheckpointLost"));
}

}  // namespace
}  // namespace reprise::simulator
