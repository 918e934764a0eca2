// The operand of commands for one job.
#pragma once

#include <string>

#include "runtime/base/error.h"

namespace reprise::plugin {

// "finetune", "job/finetune", "rj/finetune"; Invalid, which names the allowed forms, for anything else.
[[nodiscard]] runtime::Result<std::string> job_name(const std::string& word);

}  // namespace reprise::plugin
