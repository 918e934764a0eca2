// The disposition of a signal in the processes of a training command, as /proc shows it at this moment.
#pragma once

#include <sys/types.h>

#include "rehearsal/verdict/facts.h"

namespace reprise::rehearsal {

// Looks at all processes below `agent`: Handled when one of them handles it, Ignored when all ignore it, else Default.
// Unknown when there is none.
[[nodiscard]] Disposition disposition_below(pid_t agent, int signal);

}  // namespace reprise::rehearsal
