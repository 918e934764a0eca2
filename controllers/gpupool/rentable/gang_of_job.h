// A job as a gang that a pool has room for or not. Pure.
#pragma once

#include "api/resumable_job.h"
#include "controllers/gpupool/rentable/room.h"

namespace reprise::controllers::rentable {

// `pool`: its spec says what a unit is, its status how many GPUs are there.
[[nodiscard]] Gang gang_of(const api::ResumableJob& job, const api::GpuPool& pool);

// Why no attempt of the job can ever run in the pool; nothing: it can, or nobody knows.
[[nodiscard]] std::optional<Misfit> job_misfit(const api::ResumableJob& job, const api::GpuPool& pool,
                                               const Prices& known = std::nullopt);

}  // namespace reprise::controllers::rentable
