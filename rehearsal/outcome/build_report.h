// Builds the report from what a rehearsal has seen: pure.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rehearsal/plan/spot_plan.h"
#include "rehearsal/rank_nodes.h"
#include "rehearsal/report/run_report.h"
#include "rehearsal/verdict/verdict.h"

namespace reprise::rehearsal {

// A node for as long as it was rented.
struct RentedNode {
  std::string name, zone, capacity_type;
  runtime::Duration from{0};
  std::optional<runtime::Duration> to = {};  // empty: to the end of the run
  std::optional<runtime::Duration> noticed = {};
  double price_per_hour = 0, on_demand_price_per_hour = 0;
};

struct ReportedJob {
  std::string key;  // namespace/name
  JobFacts facts;
  Verdict verdict = {};
  std::int64_t parallelism = 1;
  std::vector<std::filesystem::path> volumes = {};  // volumes of its checkpoints, by index
  std::string format = {};
};

struct ReportedRun {
  runtime::Duration length{0}, notice{0};
  double speed = 1;
  runtime::Duration played{0};  // real time
  SpotPlan spot;
  std::vector<ReportedJob> jobs;
  NodesOfRanks nodes;  // for all jobs
  std::vector<RentedNode> rented;
  std::vector<std::string> notes;  // locations of files, and differences from a cluster
  std::vector<std::string> lines;
  int left_behind = 0;  // processes that had to be swept up after the end
};

[[nodiscard]] RunReport build_report(const ReportedRun& run);

// Takes out the facts by which an attempt that was under way when the run was cut short cannot be judged.
[[nodiscard]] JobFacts without_unfinished(JobFacts facts);

}  // namespace reprise::rehearsal
