// What the contract suite runs against. One program is linked with the simulator's API server, one with a connection to
// a real kube-apiserver.
#pragma once

#include <memory>

#include "runtime/http/transport.h"

namespace reprise::contract {

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual runtime::Transport& transport() = 0;
  // Lets open watches hear what there is to hear. The real one waits for a moment.
  virtual void let_watches_hear() = 0;
  // As time passes until a quiet watch is sent a bookmark.
  virtual void let_watches_idle() = 0;
  // The history is forgotten, by all who remember it. Open watches may break.
  virtual void compact() = 0;
};

// One for all tests.
[[nodiscard]] Backend& backend();

}  // namespace reprise::contract
