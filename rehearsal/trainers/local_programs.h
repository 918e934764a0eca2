// Containers of the embedded cluster as processes of this machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rehearsal/pods/container_plan.h"
#include "rehearsal/processes/container_process.h"
#include "rehearsal/processes/real_time.h"
#include "rehearsal/trainers/claims.h"
#include "rehearsal/trainers/ports.h"
#include "rehearsal/trainers/recorder.h"
#include "runtime/base/random.h"
#include "simulator/actors/node/program.h"
#include "simulator/cluster/cluster.h"

namespace reprise::rehearsal {

class LocalPrograms final : public simulator::Programs {
 public:
  struct Setting {
    LocalMachine machine;
    Isolation isolation;
    std::filesystem::path directory;  // pods get their own below it
    std::uint64_t seed = 1;           // of told_apart.h
  };
  // All outlive it and its programs.
  LocalPrograms(simulator::Cluster& cluster, RealTime& time, const ClaimDirectories& claims, Recorder& recorder,
                Setting setting);

  [[nodiscard]] std::unique_ptr<simulator::Program> start(simulator::ProgramPlace place) override;
  [[nodiscard]] std::vector<const ContainerProcess*> running() const;
  // Differences from a cluster; each sentence once.
  [[nodiscard]] const std::set<std::string>& notes() const { return notes_; }

 private:
  friend class LocalProgram;
  [[nodiscard]] bool is_trainer(const ContainerPlan& plan) const;

  simulator::Cluster& cluster_;
  RealTime& time_;
  const ClaimDirectories& claims_;
  Recorder& recorder_;
  Setting setting_;
  GangPorts ports_;
  std::set<const ContainerProcess*> running_;
  std::set<std::string> notes_;
  runtime::SeededRandom apart_;
};

}  // namespace reprise::rehearsal
