// The modelled `reprise-agent run`: starts up, has a trainer of the gang run, watches checkpoints become durable, saves
// on notice, leaves a record, exits. What it decides, it decides with the agent's own functions.
//
// agent_watch.cc watches and prunes, agent_stop.cc asks the trainer, agent_record.cc leaves word.
//
// No call of it happens while nothing happens: its heartbeat is a function of time (DiskBeat), its looks at the fence
// and at the volume follow writes there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/process_tree.h"
#include "agent/record.h"
#include "agent/stop_plan.h"
#include "agent/watch.h"
#include "simulator/actors/agent/agent_start.h"
#include "simulator/actors/agent/gang.h"
#include "simulator/actors/node/program.h"

namespace reprise::simulator {

struct AgentSetting {
  agent::Environment env;
  std::string volume, machine;
  TrainingPlan plan;
  std::string checkpoint_request;    // annotation when the container starts
  Standstill* standstill = nullptr;  // of the machine
};

class AgentProcess final : public Program {
 public:
  AgentProcess(Cluster& cluster, Volumes& volumes, Gangs& gangs, AgentSetting setting,
               std::function<void(ProgramEnd)> on_end);
  ~AgentProcess() override;

  void terminate() override;
  void pre_stop() override;
  void annotations_changed(const Value& pod) override;
  void stood_still(bool still) override;

 private:
  void started(AgentStarted started);
  void run_trainer();
  void saved(std::int64_t step);
  void write_down(Disk& disk) const;
  [[nodiscard]] agent::Identity self() const;
  void look();
  void check_fence();
  void volume_hangs(bool hangs);
  [[nodiscard]] bool stuck() const { return volumes_.stuck(setting_.volume, setting_.machine); }
  [[nodiscard]] DiskBeat* own_beat();
  void go_on_stopping();
  void terminate_trainer();
  void lose_helpers();
  [[nodiscard]] std::vector<agent::Process> processes() const;
  void trainer_exited(int exit_code);
  void end_early(AgentStarted::End end);
  void finish(int exit_code, std::string reason = {}, std::string message = {});
  void describe(const Disk& disk, agent::Record& record) const;
  void leave(const agent::Record& record, const DiskRecord& on_disk);
  [[nodiscard]] std::optional<agent::Checkpoint> newest(const Disk& disk) const;
  void prune(Disk& disk);

  Cluster& cluster_;
  Volumes& volumes_;
  Gangs& gangs_;
  AgentSetting setting_;
  std::function<void(ProgramEnd)> on_end_;
  agent::FenceJudge judge_;
  std::unique_ptr<AgentStart> start_;
  AgentStarted from_;
  std::shared_ptr<Gang> gang_;
  bool cut_off_ = false, trainer_runs_ = false, ended_ = false, requested_ = false, stopped_early_ = false;
  std::optional<agent::StopPlan> stop_;
  std::optional<agent::Checkpoint> durable_, stop_baseline_;
  Volumes::Listener listener_ = 0, hang_listener_ = 0;
  Timers timers_;
  Wake fence_check_, stop_check_, look_;
};

}  // namespace reprise::simulator
