// `reprise-agent run` and `list-checkpoints` in the embedded cluster: the agent itself (agent/core/run/run_agent.h,
// list_checkpoints.h) on fibers, with a simulated volume (disk_files.h), machine and trainer (agent_host.h).
//
// An idle agent makes no calls: its heartbeat is a function of time (DiskHeartbeat), and a look that would find nothing
// new is left out (agent_threads.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/actors/agent/agent_host.h"
#include "simulator/actors/agent/disk_files.h"
#include "simulator/actors/node/program.h"

namespace reprise::simulator {

enum class AgentCommand { Run, ListCheckpoints };

struct AgentSetting {
  agent::Environment env;
  std::string namespace_, pod;
  std::string volume, machine;
  TrainingPlan plan;
  std::string annotations;           // the downward API's file when the container starts (annotations_file)
  Standstill* standstill = nullptr;  // the machine's
  AgentCommand command = AgentCommand::Run;
};

// The pod's annotations that agents go by, as the downward API writes them.
[[nodiscard]] std::string annotations_file(const Value& pod);

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
  void run();
  void ended();
  void volume_hangs(bool hangs);
  void show_annotations();
  void hold_heartbeat(bool held);
  [[nodiscard]] DiskHeartbeat* own_heartbeat();

  Cluster& cluster_;
  Volumes& volumes_;
  AgentSetting setting_;
  std::function<void(ProgramEnd)> on_end_;
  std::map<std::string, std::string> local_files_;
  Timers timers_;
  Fibers fibers_;
  AgentThreads threads_;
  AgentHost host_;
  Fibers::Id main_ = 0;
  std::optional<int> exit_code_;
  Volumes::Listener listener_ = 0, hang_listener_ = 0;
};

}  // namespace reprise::simulator
