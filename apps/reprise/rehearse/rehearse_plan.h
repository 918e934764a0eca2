// Makes the plan of a rehearsal from flags and files.
#pragma once

#include "apps/reprise/rehearse/rehearse_options.h"
#include "rehearsal/plan/rehearsal_plan.h"
#include "runtime/base/error.h"

namespace reprise::apps {

struct ReadRehearsal {
  rehearsal::RehearsalPlan plan;
  std::vector<std::string> notes;  // parts of the files that are left out
};

// `programs`: where reprise-agent is when no flag says so. NotFound or Invalid: names the file, the line if it is
// known, and the mistake.
[[nodiscard]] runtime::Result<ReadRehearsal> read_rehearsal(const RehearseOptions& options,
                                                            const std::filesystem::path& programs);

}  // namespace reprise::apps
