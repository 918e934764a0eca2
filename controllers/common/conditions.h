// The helpers for conditions, under the names that the controllers use.
#pragma once

#include "api/conditions.h"

namespace reprise::controllers {

using api::ConditionSetter;
using api::find_condition;
using api::is_true;

}  // namespace reprise::controllers
