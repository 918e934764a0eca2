#include "rehearsal/interrupter.h"

namespace reprise::rehearsal {

bool Interrupter::due(const std::string& job, bool trains, runtime::Duration now, runtime::Duration every) {
  if (every.count() == 0) return false;
  Seen& seen = jobs_[job];
  if (!trains) {
    seen = {};
    return false;
  }
  if (!seen.trains) seen = {.since = now, .trains = true};
  if (seen.done || now - seen.since < every) return false;
  return seen.done = true;
}

}  // namespace reprise::rehearsal
