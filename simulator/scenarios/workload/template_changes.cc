#include "simulator/scenarios/workload/template_changes.h"

#include <algorithm>

#include "simulator/actors/support/conditions.h"
#include "simulator/faults/own_stream.h"

namespace reprise::simulator {

void draw_template_changes(std::uint64_t seed, Workload& workload) {
  if (seed < kFirstSeedWithTemplateChanges || seed > kLastSeedWithTemplateChanges) return;
  runtime::SeededRandom random = own_stream(seed, "workload/template-changes");
  if (random.uniform() < 0.7) workload.warm_gpus = 1 + static_cast<int>(3 * random.uniform());
  add_template_changes(random, workload);
}

void add_template_changes(runtime::Random& random, Workload& workload) {
  const int changes = 1 + static_cast<int>(3 * random.uniform());
  for (int i = 0; i < changes; ++i) {
    workload.template_changes.push_back(std::chrono::duration_cast<Duration>(
        std::chrono::minutes(5) + std::chrono::duration<double, std::ratio<60>>(115 * random.uniform())));
  }
  std::ranges::sort(workload.template_changes);
}

void judge_template_changes(const ApiServer& api,
                            const std::function<void(std::string invariant, std::string what)>& object_to) {
  for (const ObjectPtr& claim : api.list(api.resource("karpenter.sh", "nodeclaims"))) {
    if (!is_true(*claim, "Drifted") || text(*claim, {"metadata", "labels", "reprise.dev/pool"}) != kPoolName) continue;
    object_to("drifted-nodes-are-rolled", "NodeClaim " + std::string(name_of(*claim)) + " has drifted, and stays");
  }
}

}  // namespace reprise::simulator
