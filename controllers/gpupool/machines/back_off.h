// Machines that are paid for and never become useful: the next one of their NodePool waits, for longer after each try,
// and then one at a time is rented until one is useful. Pure; the pool's status is the memory (status.startup).
//
// A machine is useful once Karpenter calls its NodeClaim initialised, or something runs on its GPUs; where pods wait
// meanwhile, once one of them has been placed there. A machine that was launched and went before that has failed,
// whoever ended it: the pool at its deadline, Karpenter at its own, or because it stood idle, the cloud. Machines that
// start together are one try. A machine that the cloud never launched costs nothing and does not count.
//
// Existing machines are never touched: a NodePool's limit ends nothing. Each NodePool has its own pause, so that a
// capacity type that works goes on. (docs/decisions/pools/0115-machine-back-off.md)
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/gpupool/decide/decide.h"

namespace reprise::controllers::gpupool {

// The reason, in the condition and in Events, of a machine that the pool has ended.
inline constexpr std::string_view kDeadlineExceeded = "InitializationDeadlineExceeded";
inline constexpr std::string_view kNeverUseful = "MachineNeverUseful";  // others have ended it

// The pause of the next machine after so many tries.
[[nodiscard]] std::chrono::seconds pause_after(std::int32_t tries);

// Writes into the plan's status what became of machines since the last pass, with an Event for each that has failed.
// `overdue`: NodeClaims of the pool's own that are to be ended now. `every_pod_seen`: when false, a machine that is
// initialised is useful, since pods of namespaces that are not watched may have been placed there.
void remember_machines(const Observation& seen, bool every_pod_seen, const std::vector<const api::NodeClaim*>& overdue,
                       Plan& plan);

// Lowers the limits of NodePools whose next machine waits, or that try one.
void hold_machines_back(const Observation& seen, std::vector<api::NodePool>& node_pools, Plan& plan);

// Describes the pool's pauses; empty: there are none.
[[nodiscard]] std::string said_of_pauses(const Observation& seen, const api::PoolStartupStatus& startup);

// The same where the API server has rejected the write of the limit that one of them needs; empty: it has not.
[[nodiscard]] std::string said_of_unwritten_pause(const Observation& seen, const api::PoolStartupStatus& startup,
                                                  std::string_view rejection);

// True when each NodePool of the pool has failed so often that somebody should look: the pool is Stalled.
[[nodiscard]] bool fails_for_good(const api::GpuPool& pool, const api::PoolStartupStatus& startup);

// The row that says that nodes are there and lack the resource of the pool's sharing; null: none.
[[nodiscard]] const api::NodePoolBackOff* lacks_units(const api::GpuPool& pool, const api::PoolStartupStatus& startup);

// Counts the machines that have failed between two statuses of a pool, for metrics.
[[nodiscard]] std::int32_t newly_failed(const api::PoolStartupStatus& before, const api::PoolStartupStatus& after);

}  // namespace reprise::controllers::gpupool
