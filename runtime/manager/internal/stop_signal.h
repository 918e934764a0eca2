// Requests to end a process: SIGTERM, SIGINT, or the program itself. SIGUSR1 asks it for a state dump.
#pragma once

#include <functional>

namespace reprise::runtime::internal {

class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The signals come to wait() instead of ending the process. In main(), before any thread exists.
  static void block();
  // Blocks until a signal or a request to end has come, and takes it. True: a signal. Runs `tell` at each SIGUSR1.
  [[nodiscard]] bool wait(const std::function<void()>& tell);
  // Any thread.
  void request();
  // Readable when a signal to end has come that wait() has not taken; -1 when there is none.
  [[nodiscard]] int signals() const { return signals_; }

 private:
  int requests_;
  int signals_;
  int tell_;
};

}  // namespace reprise::runtime::internal
