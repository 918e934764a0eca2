// Labels by which objects of a job are found again. None of them proves anything (job_of.h).
#pragma once

#include "api/labels.h"

namespace reprise::controllers {

using api::kJobLabel;
using api::kJobUidLabel;
using api::kStandbyLabel;

}  // namespace reprise::controllers
