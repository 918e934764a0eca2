// Shared by the tests of the invariants: an API server for objects, and an invariant's objections to disks and changes.
#pragma once

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "crds/embedded.h"
#include "simulator/cluster/event_loop.h"
#include "simulator/invariants/invariants.h"

namespace reprise::simulator::testing {

class InvariantBench : public ::testing::Test {
 protected:
  InvariantBench() { EXPECT_TRUE(api.add_custom_resource(crds::resumable_jobs())); }

  // The invariant's objections to these disks.
  static std::vector<std::string> step(Invariant& invariant, const Disks& disks, const TrainingLog& training = {}) {
    std::vector<std::string> said;
    invariant.on_step(disks, training, [&](std::string what) { said.push_back(std::move(what)); });
    return said;
  }
  static std::vector<std::string> reported(Invariant& invariant, const ObjectChange& change) {
    std::vector<std::string> said;
    invariant.on_change(change, [&](std::string what) { said.push_back(std::move(what)); });
    return said;
  }
  [[nodiscard]] ObjectChange job_change(const char* before, const char* now) const {
    return {.resource = api.resource("reprise.dev", "resumablejobs"),
            .change = Change::Modified,
            .object = std::make_shared<const Value>(boost::json::parse(now)),
            .before = std::make_shared<const Value>(boost::json::parse(before))};
  }

  EventLoop loop;
  runtime::SeededRandom random{1};
  ApiServer api{loop, random};
};

// A trainer of the job with uid "job".
inline TrainerId trainer(std::int64_t attempt, int rank) {
  return {.pod_uid = "pod-" + std::to_string(attempt) + "-" + std::to_string(rank),
          .job_uid = "job",
          .attempt = attempt,
          .rank = rank};
}

constexpr const char* kCompleteJob =
    R"({"metadata": {"name": "j", "uid": "job"}, "spec": {"parallelism": 2},
        "status": {"attempt": 1, "conditions": [{"type": "Complete", "status": "True"}]}})";

}  // namespace reprise::simulator::testing
