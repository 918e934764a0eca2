// The instance types of the embedded cloud for a pool that was written for a real one.
#pragma once

#include <string>
#include <vector>

#include "rehearsal/plan/manifests.h"
#include "runtime/base/error.h"
#include "simulator/actors/karpenter/instance_types.h"

namespace reprise::rehearsal {

// The cloud's instance types that the pool's spec.gpu and spec.instanceTypes admit.
[[nodiscard]] std::vector<simulator::InstanceType> instance_types_of(const simulator::Value& pool);
// Takes out of the pool everything that the cloud lacks: instance types of another provider are played by AWS's of the
// same GPU model, and where none is left, by any. `zones` are those of the rehearsal. The notes name what was taken
// out.
[[nodiscard]] std::vector<std::string> translate_pool(simulator::Value& pool, const std::vector<std::string>& zones);
// Takes out of the jobs everything that their nodes lack, and translates the pool if it `was_given`: else the jobs
// would wait for ever. Its notes go to the jobs. Invalid: a job with more GPUs than any node of a given pool.
[[nodiscard]] runtime::Result<void> fit_to_instance_types(std::vector<RehearsedJob>& jobs, simulator::Value& pool,
                                                          bool was_given, const std::vector<std::string>& zones);

}  // namespace reprise::rehearsal
