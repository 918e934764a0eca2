// What asks a process to end: SIGTERM, SIGINT, or the program itself.
#pragma once

namespace reprise::runtime::internal {

class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The signals come to wait() instead of ending the process. In main(), before any thread exists.
  static void block();
  // Blocks until a signal or a request has come, and takes it. True: a signal.
  [[nodiscard]] bool wait();
  // Any thread.
  void request();
  // Readable when a signal has come that wait() has not taken; -1 when there is none.
  [[nodiscard]] int signals() const { return signals_; }

 private:
  int requests_;
  int signals_;
};

}  // namespace reprise::runtime::internal
