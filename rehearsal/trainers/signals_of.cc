#include "rehearsal/trainers/signals_of.h"

#include <cstdint>

#include "agent/process/trainer/process_tree.h"

namespace reprise::rehearsal {

Disposition disposition_below(pid_t agent, int signal) {
  const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(signal) - 1U);
  auto found = Disposition::Unknown;
  for (const agent::Process& each : agent::processes_below(agent)) {
    if (each.ended || (!agent::is_shell(each) && agent::catches_everything(each))) continue;
    if ((each.caught & bit) != 0 && !agent::catches_everything(each)) return Disposition::Handled;
    if ((each.ignored & bit) == 0)
      found = Disposition::Default;
    else if (found == Disposition::Unknown)
      found = Disposition::Ignored;
  }
  return found;
}

}  // namespace reprise::rehearsal
