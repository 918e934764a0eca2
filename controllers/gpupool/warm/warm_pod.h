// A pod that keeps one GPU of a pool ready: it holds all its units, and makes room for any other pod at once, since its
// priority is the lowest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/gpu_pool.h"
#include "api/pod_builder.h"
#include "controllers/common/kept_ready.h"
#include "controllers/gpupool/decide/observation.h"

namespace reprise::controllers::gpupool {

// The pool's uid, beside kWarmLabel: admission knows by it that the pod is the operator's.
inline constexpr std::string_view kPoolUidLabel = "reprise.dev/pool-uid";
// The text of everything that a pod was made of: a pod that was made of something else is made anew.
inline constexpr std::string_view kMadeOfAnnotation = "reprise.dev/made-of";

[[nodiscard]] std::string warm_pod_name(std::string_view pool, std::int32_t index);
// The pod as each of them is, but for its name.
[[nodiscard]] api::PodBuilder build_warm_pod(const api::GpuPool& pool, const Settings& settings);

// The name of the pool that a pod keeps a GPU ready for; empty: none. Pods of other namespaces are somebody else's.
[[nodiscard]] std::string_view pool_kept_warm(const kube::Pod& pod, const Settings& settings);

}  // namespace reprise::controllers::gpupool
