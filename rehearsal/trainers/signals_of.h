// What the processes of a training command do with a signal, as /proc shows at this moment.
#pragma once

#include <sys/types.h>

#include "rehearsal/verdict/facts.h"

namespace reprise::rehearsal {

// Of all processes below `agent`: Handled when one of them handles it, Ignored when all ignore it, else Default.
// Unknown when there is none.
[[nodiscard]] Disposition disposition_below(pid_t agent, int signal);

}  // namespace reprise::rehearsal
