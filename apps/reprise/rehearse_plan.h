// From flags and files to what is rehearsed.
#pragma once

#include "apps/reprise/rehearse_options.h"
#include "rehearsal/plan/rehearsal_plan.h"
#include "runtime/base/error.h"

namespace reprise::apps {

struct ReadRehearsal {
  rehearsal::RehearsalPlan plan;
  std::vector<std::string> notes;  // what of the files is left out
};

// `programs`: where reprise-agent is when no flag says so. NotFound or Invalid: the file, the line where that is known,
// and what is wrong.
[[nodiscard]] runtime::Result<ReadRehearsal> read_rehearsal(const RehearseOptions& options,
                                                            const std::filesystem::path& programs);

}  // namespace reprise::apps
