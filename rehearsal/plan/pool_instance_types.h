// The instance types of the embedded cloud for a pool that was written for a real one.
#pragma once

#include <string>
#include <vector>

#include "rehearsal/plan/manifests.h"
#include "runtime/base/error.h"
#include "simulator/actors/karpenter/instance_types.h"

namespace reprise::rehearsal {

// Of the cloud's types those that the pool's spec.gpu and spec.instanceTypes admit.
[[nodiscard]] std::vector<simulator::InstanceType> instance_types_of(const simulator::Value& pool);
// Takes out of the pool what the cloud has not: another provider's are played by AWS's of the same GPU model,
// and where none is left, by any. `zones` are those of the rehearsal. Notes say what was taken out.
[[nodiscard]] std::vector<std::string> translate_pool(simulator::Value& pool, const std::vector<std::string>& zones);
// Takes out of the jobs what their nodes have not, and translates the pool if it `was_given`: else the jobs would
// wait for ever. Notes of it are the jobs'. Invalid: a job with more GPUs than any node of a pool that was given.
[[nodiscard]] runtime::Result<void> fit_to_instance_types(std::vector<RehearsedJob>& jobs, simulator::Value& pool,
                                                          bool was_given, const std::vector<std::string>& zones);

}  // namespace reprise::rehearsal
