// The surroundings of a rehearsal: the embedded cluster with its actors, the real operator, the trainers' processes,
// the clock that drives them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rehearsal/plan/manifests.h"
#include "rehearsal/plan/planned_market.h"
#include "rehearsal/plan/rehearsal_plan.h"
#include "rehearsal/pods/checkpoint_place.h"
#include "rehearsal/rank_nodes.h"
#include "rehearsal/trainers/local_programs.h"
#include "simulator/actors/actors.h"
#include "simulator/cluster/operator_process.h"

namespace reprise::rehearsal {

class Stage {
 public:
  Stage(const RehearsalPlan& plan, std::vector<RehearsedJob> jobs);
  // Kills all processes of the trainers.
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // Creates pool and jobs. Invalid: a job whose checkpoints would go to a place that must not be touched, or the
  // rejection of the API server.
  [[nodiscard]] runtime::Result<void> set_up(const simulator::Value& pool);
  // One turn of the clock, at most `longest` real time; looks at the disks; keeps the operator running.
  void turn(runtime::Duration longest);
  // The node where a rank of the job's newest attempt runs; empty: nowhere.
  [[nodiscard]] std::string node_of(const RehearsedJob& job) const;
  // A pod of the job that no node took, in words; empty: there is none.
  [[nodiscard]] std::string unschedulable(const RehearsedJob& job) const;
  [[nodiscard]] simulator::ObjectPtr object_of(const RehearsedJob& job) const;
  // spec.checkpoint.path, if it is not the path that the trainer was given and can be written to all the same; else
  // empty.
  [[nodiscard]] std::filesystem::path uncovered_path(const RehearsedJob& job) const;

  simulator::EventLoop loop;
  runtime::SystemClock clock;
  RealTime time;
  runtime::SeededRandom random;
  simulator::EventLog log;
  simulator::ApiServer api;
  simulator::Cluster cluster;
  RankNodes nodes;
  PlannedMarket market;
  ClaimDirectories claims;
  Recorder recorder;
  std::vector<RehearsedJob> jobs;
  std::vector<std::string> notes;  // the places of checkpoints, and why
  std::unique_ptr<LocalPrograms> programs;
  std::unique_ptr<simulator::Actors> actors;

 private:
  void place_checkpoints(const RehearsalPlan& plan, const Isolation& isolation);
  void place_other_claims(const RehearsalPlan& plan, const Isolation& isolation);

  simulator::NoFaults wire_faults_;
  std::unique_ptr<simulator::OperatorProcess> operator_;
  std::uint64_t operators_ = 0;
  std::map<std::string, CheckpointPlace> places_;
  std::string rejection_;
  std::string mark_;
  runtime::Instant looked_{}, measured_{};
};

}  // namespace reprise::rehearsal
