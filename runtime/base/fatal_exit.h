// The end of a process that cannot go on safely.
#pragma once

#include <string_view>

namespace reprise::runtime {

// Ends the process with exit code 1 at once: no destructor, no exit handler. Says why on standard error if that can be
// done without waiting. Takes no lock; any thread.
[[noreturn]] void end_process(std::string_view why);

}  // namespace reprise::runtime
