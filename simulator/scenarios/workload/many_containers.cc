#include "simulator/scenarios/workload/many_containers.h"

#include <string>

#include "simulator/faults/own_stream.h"

namespace reprise::simulator {
namespace {

// A kubelet keeps 945 bytes of each container's termination message with the fewest, 722 with the most. The API takes
// 16 init containers at most, the agent's among them.
constexpr int fewest = 11, most = 15;

}  // namespace

void draw_many_containers(std::uint64_t seed, Workload& workload) {
  if (seed < kFirstSeedWithManyContainers || seed > kLastSeedWithManyContainers) return;
  runtime::SeededRandom random = own_stream(seed, "workload/many-containers");
  for (JobPlan& job : workload.jobs) job.sidecars = fewest + static_cast<int>(random.uniform() * (most - fewest + 1));
}

JsonArray sidecars_of(const JobPlan& job) {
  JsonArray sidecars;
  for (int index = 0; index < job.sidecars; ++index)
    sidecars.push_back(JsonObject{{"name", "sidecar-" + std::to_string(index)},
                                  {"image", "registry.example.com/sidecar:1"},
                                  {"restartPolicy", "Always"}});
  return sidecars;
}

}  // namespace reprise::simulator
