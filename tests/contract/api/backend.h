// The server under the contract suite. One program is linked with the simulator's API server, one with a connection to
// a real kube-apiserver.
#pragma once

#include <memory>

#include "runtime/http/transport.h"

namespace reprise::contract {

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual runtime::Transport& transport() = 0;
  // Lets open watches hear all pending events. The real server waits for a moment.
  virtual void let_watches_hear() = 0;
  // Advances time until a quiet watch is sent a bookmark.
  virtual void let_watches_idle() = 0;
  // Compacts the history on every server that keeps it. Open watches may break.
  virtual void compact() = 0;
};

// One backend for all tests.
[[nodiscard]] Backend& backend();

}  // namespace reprise::contract
