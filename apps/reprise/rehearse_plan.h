// From flags and files to what is rehearsed.
#pragma once

#include "apps/reprise/rehearse_options.h"
#include "runtime/base/error.h"
#include "simulator/rehearsal/rehearsal.h"

namespace reprise::apps {

// `programs`: where reprise-agent is when no flag says so. NotFound or Invalid: the file and what is wrong with it.
[[nodiscard]] runtime::Result<simulator::RehearsalPlan> rehearsal_plan(const RehearseOptions& options,
                                                                       const std::filesystem::path& programs);

}  // namespace reprise::apps
