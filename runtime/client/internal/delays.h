// Work that waits for a while, and is cancelled when its owner goes first.
#pragma once

#include <functional>
#include <memory>

#include "runtime/base/executor.h"

namespace reprise::runtime {

// Callable from any thread.
class Delays {
 public:
  // Gets true on the executor's thread when it is due, or false from ~Delays.
  using Work = std::function<void(bool due)>;

  explicit Delays(Executor& executor);
  ~Delays();
  Delays(const Delays&) = delete;
  Delays& operator=(const Delays&) = delete;

  void after(Duration delay, Work work);

 private:
  struct State;
  Executor& executor_;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::runtime
