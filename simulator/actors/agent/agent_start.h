// The modelled agent from its start to the moment its trainer may run: fence, foreign writers, beats, restore, and the
// other ranks' waiting for its word. The decisions are the agent's own; the order is that of agent/startup.cc.
// agent_fence.cc looks for other writers, agent_restore.cc chooses the checkpoint.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/checkpoint.h"
#include "agent/environment.h"
#include "agent/fence.h"
#include "agent/identity.h"
#include "agent/writers.h"
#include "simulator/actors/storage/volumes.h"
#include "simulator/actors/support/wake.h"

namespace reprise::simulator {

struct AgentStarted {
  // Set: the trainer is not to run, and the agent exits with this.
  struct End {
    int exit_code = 0;
    std::string reason = {}, message = {};
    bool asked = false;
  };
  std::optional<End> end = {};
  std::optional<std::int64_t> resume = {};  // step; nothing: from the start
  std::optional<std::int64_t> number = {};  // that its name gives for the step
  bool renounces = false;                   // ended early, and what lies there is to be put aside
  std::vector<std::int64_t> ignored = {};   // checkpoints that are not this attempt's progress
  agent::Checkpoints before = {};           // all that is there when the trainer starts
};

struct AgentPlace {
  std::string volume, machine;
  Standstill* standstill = nullptr;  // of the machine
};

class AgentStart {
 public:
  // `done` is called once, from the loop; the volume exists as long as this.
  AgentStart(Cluster& cluster, Volumes& volumes, AgentPlace place, const agent::Environment& env,
             std::function<void(AgentStarted)> done);
  ~AgentStart();
  AgentStart(const AgentStart&) = delete;
  AgentStart& operator=(const AgentStart&) = delete;

  void terminate();

 private:
  using End = AgentStarted::End;
  void step();
  void go_on();
  void wait(Duration duration);
  void finish(AgentStarted started);
  void finish(End end);
  std::optional<End> check_fence(const Disk& disk);
  // One look for other writers: what it finds comes when the volume has given all answers.
  struct Look {
    Duration began{0};
    std::int64_t answers = 0;
  };
  [[nodiscard]] agent::AttemptSpans open_attempts(const Disk& disk) const;
  // False: it is not over yet, and goes on by itself.
  [[nodiscard]] bool look_for_writers(Disk& disk);
  [[nodiscard]] std::vector<agent::Sighting> sightings(const Disk& disk) const;
  // False: not clear yet.
  [[nodiscard]] bool writers_are_still(const Disk& disk, std::optional<End>& refused);
  void raise_fence(Disk& disk);
  void beat_again();
  void settle_policy(const Disk& disk);
  void choose(Disk& disk);
  void put_aside(Disk& disk, const std::vector<std::string>& directories) const;
  void follow(const Disk& disk);
  void begin(const DiskResume& word, std::vector<std::int64_t> ignored);

  enum class Phase { Looking, Beating, Waiting, Over };
  Cluster& cluster_;
  Volumes& volumes_;
  std::string volume_, machine_;
  agent::Environment env_;
  agent::Identity self_;
  std::function<void(AgentStarted)> done_;
  Phase phase_ = Phase::Looking;
  Duration started_{0};
  agent::FenceJudge judge_;
  agent::WriterWatch writers_;
  std::optional<Look> look_;
  Volumes::Listener listener_ = 0;
  Wake wake_;
};

}  // namespace reprise::simulator
