// Input of a rehearsal: the manifests and how to play them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "rehearsal/plan/spot_plan.h"
#include "runtime/base/clock.h"

namespace reprise::rehearsal {

struct RehearsalPlan {
  std::string pool_yaml;               // empty: one is made that fits the jobs
  std::vector<std::string> job_yamls;  // ResumableJobs
  SpotPlan spot;
  runtime::Duration notice{120'000};  // in the cluster's time
  // One of a job's nodes gets a notice so long after the job trains (again), whatever the spot plan says; in the
  // cluster's time; 0: never. With own_pace the times that the script's start and its saves take set the interval
  // instead.
  runtime::Duration interrupt_every{0};
  bool own_pace = false;
  runtime::Duration start_limit{120'000};  // real time that a start may take
  bool to_the_end = false;                 // though the verdict cannot change any more
  // A job that survives is run once more without interruptions, and its last checkpoints are compared.
  bool verify_weights = false;
  std::string compare;                  // the command that compares; empty: all files must be equal
  runtime::Duration node_boot{40'000};  // from the launch of a node to its kubelet's first report
  // Cluster seconds per real second. 1 while a trainer saves after a notice, so that it has the same grace as in a
  // cloud.
  double speed = 1;
  runtime::Duration limit{0};  // real time after which the run is given up; 0: none
  double on_demand_price_per_hour = 0;
  // Claims that pods mount besides that of their checkpoints, by name: the directory of this machine that stands for
  // each.
  std::map<std::string, std::filesystem::path> claims;
  std::filesystem::path work_directory;  // volumes, outputs of trainers; made, left for the reader
  std::filesystem::path agent;           // reprise-agent
  std::uint64_t seed = 1;
};

}  // namespace reprise::rehearsal
