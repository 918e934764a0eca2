// The terminal of `kubectl reprise top`: keys as they are pressed, and a screen of its own.
#pragma once

#include <functional>
#include <memory>

#include "apps/kubectl-reprise/commands/top/top_view.h"
#include "runtime/base/clock.h"

namespace reprise::plugin {

class LiveTerminal {
 public:
  virtual ~LiveTerminal() = default;
  [[nodiscard]] virtual FrameSize size() = 0;
  // The next key, or 0 when none came in time. Escape stands for the end of the input and for SIGINT and SIGTERM, too.
  [[nodiscard]] virtual char key(runtime::Duration at_most) = 0;
  virtual void show(const std::string& frame) = 0;
};

// While it lives, keys come without Return and are not shown; its end restores the terminal. Null when standard input
// or output is no terminal.
[[nodiscard]] std::unique_ptr<LiveTerminal> open_terminal();

}  // namespace reprise::plugin
