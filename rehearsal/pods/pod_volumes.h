// The volumes of a pod as directories of the machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rehearsal/pods/container_plan.h"

namespace reprise::rehearsal {

struct LocalVolume {
  std::filesystem::path source;
  std::filesystem::path at;  // the container's mountPath
  bool read_only = false;
  bool leave = false;  // the machine's own is right: shared memory, a host path in its place
};

// Reads the container's volumeMounts. Adds to the plan the directories and files to be made before, and notes.
[[nodiscard]] std::vector<LocalVolume> local_volumes(const simulator::Value& pod, const simulator::Value& container,
                                                     const PodPlaces& places, ContainerPlan& plan);

}  // namespace reprise::rehearsal
