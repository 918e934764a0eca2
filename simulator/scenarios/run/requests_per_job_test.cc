// The cost of one job to the API server: requests of the operator that ships, per start and per interruption. A status
// write is the dearest of them (docs/performance.md). Virtual time: the test counts requests, not their speed.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/scenarios/workload/one_pool_for_tests.h"

namespace reprise::simulator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::string resource_of(const runtime::Request& request) {
  std::string path = request.path_and_query.substr(0, request.path_and_query.find('?'));
  std::string found = "?";
  const bool status = path.ends_with("/status");
  for (const char* plural : {"resumablejobs", "pods", "persistentvolumeclaims", "services", "events", "nodes",
                             "nodeclaims", "nodepools", "gpupools", "leases", "configmaps"})
    if (path.find(std::string("/") + plural) != std::string::npos) found = plural;
  return found + (status ? "/status" : "");
}

std::string method_of(const runtime::Request& request) {
  switch (request.method) {
    case runtime::Method::Get:
      return "GET";
    case runtime::Method::Post:
      return "POST";
    case runtime::Method::Put:
      return "PUT";
    case runtime::Method::Patch:
      return "PATCH";
    case runtime::Method::Delete:
      return "DELETE";
  }
  return "?";
}

// The fields of the status that a write has changed, to say what caused it.
std::string changed_fields(const Value& before, const Value& now) {
  const Value none = JsonObject{};
  const Value* was = find(before, {"status"});
  const Value* is = find(now, {"status"});
  std::string fields;
  const JsonObject& old = (was == nullptr ? none : *was).as_object();
  const JsonObject& fresh = (is == nullptr ? none : *is).as_object();
  const auto add = [&](std::string_view name) { fields += (fields.empty() ? "" : " ") + std::string(name); };
  for (const auto& [key, value] : fresh) {
    const auto* found = old.if_contains(key);
    if (found != nullptr && *found == value) continue;
    if (std::string_view(key) != "conditions") {
      add(std::string(key));
      continue;
    }
    for (const Value& each : value.as_array()) {
      const std::string_view type = text(each, {"type"});
      const std::string said = std::string(condition(now, type)) + "/" + std::string(reason(now, type));
      const std::string had = std::string(condition(before, type)) + "/" + std::string(reason(before, type));
      if (said != had) add(std::string(type) + "=" + said);
    }
  }
  for (const auto& [key, value] : old)
    if (!fresh.contains(key)) add("-" + std::string(key));
  return fields.empty() ? "(messages)" : fields;
}

class RequestsPerJob : public OnePoolTest {
 protected:
  RequestsPerJob() {
    cluster.on_request = [this](std::string_view, const runtime::Request& request) {
      const std::string resource = resource_of(request);
      if (resource != "leases") ++requests[method_of(request) + " " + resource];
    };
    writes = api.subscribe(jobs, [this](const ObjectChange& change) {
      if (change.before && change.change == Change::Modified)
        causes.push_back(std::to_string(loop.now().count()) + " ms " + std::string(name_of(*change.object)) + ": " +
                         changed_fields(*change.before, *change.object));
    });
    process.emplace(cluster, wire_faults, OperatorSettings{});
    make_pool();
    loop.run_until(seconds(30));
  }
  void apply(const std::string& name, int parallelism, bool pooled = true) {
    JobPlan plan{.name = name, .parallelism = parallelism, .steps = 36'000};
    plan.pooled = pooled;
    apply(plan);
  }
  // A job whose trainer does not save when it is asked to stop.
  void apply_quick(const std::string& name) {
    JobPlan plan{.name = name, .parallelism = 1, .steps = 36'000};
    plan.saves_on_notice = false;
    apply(plan);
  }
  void apply(const JobPlan& plan) {
    auto made = api.create(jobs, job_object(plan));
    ASSERT_TRUE(made) << made.error().message;
  }
  // Counts from here on until the job has run for a while.
  void count() {
    requests.clear();
    causes.clear();
  }
  [[nodiscard]] int status_writes() { return requests["PATCH resumablejobs/status"]; }
  [[nodiscard]] std::string report() const {
    std::string lines;
    for (const auto& [what, many] : requests) lines += "  " + std::to_string(many) + " " + what + "\n";
    for (const std::string& cause : causes) lines += "  " + cause + "\n";
    return lines;
  }
  void starts(const std::string& name, int parallelism, bool pooled = true) {
    count();
    apply(name, parallelism, pooled);
    ASSERT_TRUE(becomes(minutes(30), [&] { return runs(name, 1); })) << report();
    loop.run_until(loop.now() + minutes(2));
  }
  void interrupt(const std::string& name, int rank = 0) {
    const ObjectPtr found = job(name);
    const std::int64_t attempt = number(*found, {"status", "attempt"});
    const std::string pod = name + "-" + std::to_string(attempt) + "-" + std::to_string(rank);
    const ObjectPtr victim = api.get({api.resource("", "pods"), kJobNamespace, pod});
    ASSERT_TRUE(victim);
    count();
    actors->interrupt(std::string(text(*victim, {"spec", "nodeName"})), seconds(120));
    ASSERT_TRUE(becomes(minutes(30), [&] { return runs(name, attempt + 1); })) << report();
    loop.run_until(loop.now() + minutes(2));
  }

  std::map<std::string, int> requests;  // by method and resource
  std::vector<std::string> causes;      // causes of status writes
  std::unique_ptr<ApiServer::Subscription> writes;
  std::optional<OperatorProcess> process;
};

TEST_F(RequestsPerJob, a_start_costs_at_most_three_status_writes) {
  starts("single", 1);
  EXPECT_LE(status_writes(), 3) << report();
  EXPECT_LE(requests["POST events"], 1) << report();
}

TEST_F(RequestsPerJob, an_interruption_of_one_rank_costs_at_most_three_status_writes) {
  starts("single", 1);
  for (int turn = 0; turn < 3; ++turn) {
    interrupt("single");
    EXPECT_LE(status_writes(), 3) << report();
    // Interrupted, running again; and a checkpoint asked for, if an Event came first.
    EXPECT_LE(requests["POST events"], 3) << report();
  }
}

TEST_F(RequestsPerJob, a_start_of_64_ranks_costs_at_most_six_status_writes) {
  starts("gang", 64);
  EXPECT_LE(status_writes(), 6) << report();
}

TEST_F(RequestsPerJob, an_interruption_of_64_ranks_costs_at_most_six_status_writes) {
  starts("gang", 64);
  interrupt("gang", 17);
  EXPECT_LE(status_writes(), 6) << report();
  EXPECT_LE(requests["POST events"], 3) << report();
}

// Trainers that end faster than the scheduler hears of the taint on their node: the next attempt is not bound there.
TEST_F(RequestsPerJob, an_interruption_costs_one_attempt_however_late_the_scheduler_hears_of_the_taint) {
  actors->scheduler.hear_of_taints_after(Duration{800});
  apply_quick("quick");
  ASSERT_TRUE(becomes(minutes(30), [&] { return runs("quick", 1); })) << report();
  loop.run_until(loop.now() + minutes(2));
  interrupt("quick");
  EXPECT_EQ(number(*job("quick"), {"status", "attempt"}), 2) << report();
}

// Ten thousand jobs of a pool would be looked at for each node that one of them gets.
TEST_F(RequestsPerJob, what_a_pool_says_of_itself_wakes_no_job_and_what_it_offers_does) {
  starts("single", 1);
  const auto pool_says = [&](const std::function<void(Value&)>& change) {
    const double before = process->reconciles("resumablejob");
    EXPECT_TRUE(api.update({api.resource("reprise.dev", "gpupools"), "", kPoolName}, change, "status"));
    loop.run_until(loop.now() + Duration{200});
    return process->reconciles("resumablejob") - before;
  };
  EXPECT_EQ(pool_says([](Value& pool) { set(pool, {"status", "units", "used"}, Value(77)); }), 0);
  EXPECT_GT(pool_says([](Value& pool) { set(pool, {"status", "resourceName"}, Value("example.com/gpu")); }), 0);
}

}  // namespace
}  // namespace reprise::simulator
