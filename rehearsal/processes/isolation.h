// The isolation that this machine grants a rehearsal's pods: a view of the file system of their own, in which volumes
// lie where the pod wants them, and a process table of their own, whose end the kernel makes complete.
#pragma once

#include "runtime/base/error.h"

namespace reprise::rehearsal {

struct Isolation {
  bool user_namespace = false;  // needed for the rest: the caller is not root
  bool mounts = false;
  bool processes = false;  // never without mounts

  friend bool operator==(const Isolation&, const Isolation&) = default;
};

// Tries it in a child process.
[[nodiscard]] Isolation probe_isolation();

// Moves the calling process into namespaces of its own; its next child is the first of the process table. For a child
// that has nothing else to do: there is no way back.
[[nodiscard]] runtime::Result<void> enter(const Isolation& isolation);

}  // namespace reprise::rehearsal
