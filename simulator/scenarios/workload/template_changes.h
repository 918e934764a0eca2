// Pools whose nodes drift: a person changes a label of theirs while jobs run.
//
// Seeds from kFirstSeedWithTemplateChanges to kLastSeedWithTemplateChanges alone have such: all others keep their
// scenarios, but for those of reporting_ranks.h. No rank reports here, so that no job has just saved: nodes that jobs
// use stay, the others go.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "simulator/api_server/api_server.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

inline constexpr std::uint64_t kFirstSeedWithTemplateChanges = 5'501, kLastSeedWithTemplateChanges = 5'599;

// Most pools keep GPUs ready as well, so that there are nodes which nobody uses.
void draw_template_changes(std::uint64_t seed, Workload& workload);

// Adds one to three changes, within two hours.
void add_template_changes(runtime::Random& random, Workload& workload);

// `drifted-nodes-are-rolled`: when all jobs have ended and all is quiet, no node has drifted.
void judge_template_changes(const ApiServer& api,
                            const std::function<void(std::string invariant, std::string what)>& object_to);

}  // namespace reprise::simulator
