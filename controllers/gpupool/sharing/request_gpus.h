// How a pod asks for a pool's GPUs: whoever runs there, a job's ranks or what keeps GPUs ready, asks in the same way.
#pragma once

#include "api/gpu_pool.h"
#include "api/pod_builder.h"

namespace reprise::controllers::gpupool {

// Resources, labels, annotations, scheduler and runtime class; by status.resourceName, where that is what is asked for.
void request_gpus(const api::GpuPool& pool, api::PodBuilder& pod);
// That of NVIDIA's GPUs, whatever its value, and the pool's own.
void tolerate_taints(const api::GpuPoolSpec& spec, api::PodBuilder& pod);

}  // namespace reprise::controllers::gpupool
