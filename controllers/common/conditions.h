// The helpers for conditions, under the names that the controllers use.
#pragma once

#include "runtime/kube/conditions.h"

namespace reprise::controllers {

using kube::ConditionSetter;
using kube::find_condition;
using kube::is_true;

}  // namespace reprise::controllers
