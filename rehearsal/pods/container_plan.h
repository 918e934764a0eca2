// Plans the local process of a container as the operator wrote it: pure.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rehearsal/pods/variables.h"
#include "rehearsal/processes/container_process.h"
#include "simulator/base/json.h"

namespace reprise::rehearsal {

// Properties of the machine, for all pods of a rehearsal.
struct LocalMachine {
  Variables environment;            // the environment of the person who rehearses; the trainer's tools are found by it
  std::filesystem::path directory;  // the directory where the rehearsal was started
  std::filesystem::path agent;      // reprise-agent
  bool mounts = false;
  double speed = 1;
  std::string mark;  // value of REPRISE_REHEARSAL, by which processes are found again
};

struct PodPlaces {
  std::filesystem::path directory;  // the pod's own: volumes/, tmp/, termination logs, outputs
  std::function<std::filesystem::path(const std::string& claim)> claim;
  int coordinator_port = 0;  // port of its gang
};

struct ContainerPlan {
  enum class Kind {
    Nothing,  // ends at once with 0: the agent need not be installed
    Pause,    // waits for SIGTERM: a standby pod, or a container whose command is in its image
    Run,
  };
  Kind kind = Kind::Run;
  bool prepares = false;  // an initContainer that must end before the others start
  ContainerCommand command = {};
  std::filesystem::path termination_log = {};
  // Created before the start: directories, and files of the downward API with their text.
  std::vector<std::filesystem::path> directories = {};
  std::vector<std::pair<std::filesystem::path, std::string>> files = {};
  std::filesystem::path annotations_file = {};  // kept up to date; empty: none
  std::vector<std::string> notes = {};          // differences from a cluster
};

[[nodiscard]] ContainerPlan plan_container(const simulator::Value& pod, const simulator::Value& container,
                                           const LocalMachine& machine, const PodPlaces& places);

}  // namespace reprise::rehearsal
