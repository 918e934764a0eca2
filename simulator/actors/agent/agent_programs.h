// The programs in containers of the embedded cluster: the agent in its three parts, any other as a program that waits
// for its end.
#pragma once

#include "simulator/actors/agent/agent_process.h"
#include "simulator/actors/agent/gang.h"
#include "simulator/actors/node/program.h"
#include "simulator/actors/support/pod_writes.h"

namespace reprise::simulator {

// `reprise-agent install`: ends at once. `reprise-agent pause`: ends with 0 on SIGTERM. `reprise-agent run`
// and `list-checkpoints`: AgentProcess. Others: run until SIGTERM (then 143), or end by themselves as annotations say:
// simulate.reprise.dev/run-milliseconds,
// .../exit-code.
class AgentPrograms final : public Programs {
 public:
  AgentPrograms(const World& world, Volumes& volumes)
      : world_(world), volumes_(volumes), gangs_(world.cluster, volumes) {}
  [[nodiscard]] std::unique_ptr<Program> start(ProgramPlace place) override;
  // The next `reprise-agent install` ends with 1, as on a full or read-only disk; with false none does.
  void fail_next_install(bool fails = true) { install_fails_ = fails; }
  // All trainers that ever came to their last step.
  [[nodiscard]] const TrainingLog& training() const { return gangs_.log(); }

 private:
  [[nodiscard]] std::unique_ptr<Program> start_agent(ProgramPlace place, AgentCommand command);

  World world_;
  Volumes& volumes_;
  Gangs gangs_;
  bool install_fails_ = false;
};

}  // namespace reprise::simulator
