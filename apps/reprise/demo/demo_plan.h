// The plan of `reprise demo`: the manifests below examples/demo and the recorded day, as a rehearsal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/reprise/demo/demo_options.h"
#include "rehearsal/plan/rehearsal_plan.h"
#include "runtime/base/error.h"

namespace reprise::apps {

struct DemoJob {
  std::string name;        // namespace/name
  std::string file;        // below examples/demo
  std::int64_t steps = 0;  // no two jobs have the same number, so a result tells whose it is
};

[[nodiscard]] std::vector<DemoJob> demo_jobs();

struct Demo {
  rehearsal::RehearsalPlan plan;
  runtime::Duration length{0};  // the recorded day in the cluster's time
  std::string trace;            // the trace's own source: "aws-v100-2023-02-15"
};

// NotFound: a file that cannot be read; Invalid: a manifest or trace that the demo cannot use.
// The directory for the rehearsal is `options.output_directory`/run; nothing is written here.
[[nodiscard]] runtime::Result<Demo> demo_of(const DemoOptions& options, const std::filesystem::path& programs);

}  // namespace reprise::apps
