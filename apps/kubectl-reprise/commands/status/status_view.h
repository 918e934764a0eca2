// Pools and jobs as one screen: a summary first, then the tables, then the objects that need somebody. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "api/resumable_job.h"
#include "apps/kubectl-reprise/terminal/table.h"

namespace reprise::plugin {

struct Scene {
  std::vector<api::GpuPool> pools;
  std::vector<api::ResumableJob> jobs;
  std::string pools_unseen;  // why the pools are not known; empty: they are
};

struct Columns {
  bool namespaces = false, wide = false;
};

// The column STATE of kubectl: the reason of PodsReady, with "Deleting" before it and "New" where there is none yet.
[[nodiscard]] std::string state_of(const api::ResumableJob& job);

[[nodiscard]] Table pools_table(const std::vector<api::GpuPool>& pools, kube::Time now, const Columns& columns);
[[nodiscard]] Table jobs_table(const std::vector<api::ResumableJob>& jobs, kube::Time now, const Columns& columns);
// "2 pools, 3 jobs: 1 Started, 2 Complete; 4 of 16 GPUs ...", one line without its newline.
[[nodiscard]] std::string summary_line(const Scene& scene);
// One line for each object that somebody should look at: its name and its condition's message.
[[nodiscard]] std::vector<std::string> attention(const Scene& scene);

[[nodiscard]] std::string status_screen(const Scene& scene, kube::Time now, const Columns& columns);

}  // namespace reprise::plugin
