// Makes a pod ask for a pool's GPUs: a job's ranks and the pods that keep GPUs ready ask in the same way.
#pragma once

#include "api/gpu_pool.h"
#include "api/pod_builder.h"

namespace reprise::controllers::gpupool {

// Sets resources, labels, annotations, scheduler and runtime class; by status.resourceName, where that is what is asked
// for.
void request_gpus(const api::GpuPool& pool, api::PodBuilder& pod);
// Tolerates the taint of NVIDIA's GPUs, whatever its value, and the pool's own taints.
void tolerate_taints(const api::GpuPoolSpec& spec, api::PodBuilder& pod);

}  // namespace reprise::controllers::gpupool
