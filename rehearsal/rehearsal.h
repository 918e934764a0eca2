// Jobs with real trainer processes on the embedded cluster: the real operator, virtual nodes, scaled real time. Each
// rank runs below the real reprise-agent on a real directory; a notice is what it is on a spot node: SIGTERM, the
// grace, SIGKILL.
//
// One thread, except the processes it starts. When run() returns none of them is left, whatever they did.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rehearsal/report/run_report.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::rehearsal {

// When spot capacity is there, by zone; see controllers/placement/evaluation/trace.h for where it comes from.
struct SpotPlan {
  struct Edge {
    runtime::Duration at{0};  // in the cluster's time
    bool available = true;
  };
  struct Zone {
    std::string name;
    std::vector<Edge> edges = {};  // available from the start
    double price_per_hour = 0;     // of one node
  };
  std::vector<Zone> zones;
};

struct RehearsalPlan {
  std::string pool_yaml;               // empty: one is made that fits the jobs
  std::vector<std::string> job_yamls;  // ResumableJobs
  SpotPlan spot;
  runtime::Duration notice{120'000};  // in the cluster's time
  // So long after a job trains (again), one of its nodes gets a notice, whatever the spot plan says; in the
  // cluster's time; 0: never. Own pace: by what the script's start and its saves take instead.
  runtime::Duration interrupt_every{0};
  bool own_pace = false;
  runtime::Duration start_limit{120'000};  // real time that a start may take
  bool to_the_end = false;                 // though the verdict cannot change any more
  // A job that survives is run once more without interruptions, and its last checkpoints are compared.
  bool verify_weights = false;
  std::string compare;                  // the command that does; empty: all files must be equal
  runtime::Duration node_boot{40'000};  // from the launch of a node to its kubelet's word
  // Cluster seconds per real second. While a trainer saves after a notice it is 1: it has the grace it has in a cloud.
  double speed = 1;
  runtime::Duration limit{0};  // real time after which it is given up; 0: none
  double on_demand_price_per_hour = 0;
  // Claims that pods mount besides that of their checkpoints, by name: the directory of this machine that stands for
  // it.
  std::map<std::string, std::filesystem::path> claims;
  std::filesystem::path work_directory;  // volumes, outputs of trainers; made, left for the reader
  std::filesystem::path agent;           // reprise-agent
  std::uint64_t seed = 1;
};

// What the live view shows, at one moment.
struct RehearsalMoment {
  struct Node {
    std::string name, zone, capacity, state;
  };
  struct Pod {
    std::string name, node, state;
    std::int64_t step = -1;
  };
  struct Job {
    std::string name, state, message;
    std::int64_t attempt = 0, interruptions = 0, checkpoint_step = -1;
    runtime::Duration checkpoint_age{0};
    double progress = 0;  // 0 to 1; negative: not known
  };
  runtime::Duration time{0};
  std::vector<Node> nodes;
  std::vector<Pod> pods;
  std::vector<Job> jobs;
  std::vector<SpotPlan::Zone> zones;
  std::vector<std::string> news;  // lines since the last moment
};

// Called when something changed, at most ten times a real second. False: the person wants it to end.
using RehearsalObserver = std::function<bool(const RehearsalMoment&)>;

// Invalid: the plan (names the job and field). Otherwise the report, whose `survived` is the verdict.
[[nodiscard]] runtime::Result<RunReport> rehearse(const RehearsalPlan& plan, const RehearsalObserver& observer = {});

}  // namespace reprise::rehearsal
