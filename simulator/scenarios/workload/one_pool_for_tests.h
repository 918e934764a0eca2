// An embedded cluster with one pool on a market that never changes, for tests of the effects of a few jobs.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "simulator/actors/actors.h"
#include "simulator/cluster/installation.h"
#include "simulator/cluster/operator_process.h"
#include "simulator/invariants/invariants.h"
#include "simulator/scenarios/workload/storage_classes.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

// The test starts the operator, and makes the pool before or after it.
class OnePoolTest : public testing::Test {
 protected:
  OnePoolTest() {
    EXPECT_TRUE(install(api, {std::string(kJobNamespace)}));
    EXPECT_TRUE(create_storage_classes(api));
    actors = make_actors(cluster, market, {});
    workload.max_spot_gpus = 200;
  }
  void make_pool() { EXPECT_TRUE(api.create(api.resource("reprise.dev", "gpupools"), pool_object(workload))); }
  [[nodiscard]] ObjectPtr job(const std::string& name) const { return api.get({jobs, kJobNamespace, name}); }
  // False: not within that time, or nothing is planned any more.
  [[nodiscard]] bool becomes(Duration within, const std::function<bool()>& so) {
    const Duration end = loop.now() + within;
    while (!so()) {
      const auto next = loop.next();
      if (!next || *next > end) return false;
      loop.step();
    }
    return true;
  }
  [[nodiscard]] bool runs(const std::string& name, std::int64_t attempt) const {
    return number(*job(name), {"status", "attempt"}) == attempt && condition(*job(name), "PodsReady") == "True";
  }

  EventLoop loop;
  runtime::SeededRandom random{1};
  ApiServer api{loop, random};
  ResourceId jobs = serve_own_kinds();
  EventLog log{loop};
  Cluster cluster{loop, random, api, log};
  SteadySpotMarket market;
  NoFaults wire_faults;
  Workload workload;
  std::unique_ptr<Actors> actors;

 private:
  ResourceId serve_own_kinds() {
    serve(api, read_own_kinds().value());
    return api.resource("reprise.dev", "resumablejobs");
  }
};

}  // namespace reprise::simulator
