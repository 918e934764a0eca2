// Threads for work on the volume, which may hang in the kernel for as long as the storage does. The agent's main thread
// never waits for one without a bound: what does not come back is left behind, and its state with it (so the work may
// hold on to nothing but what it shares ownership of). A seam: system_threads.h has the operating system's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace reprise::agent {

// Calls a function at once, then each time its period has passed or `kick` was called, until `finish` or its end.
class Worker {
 public:
  virtual ~Worker() = default;
  // Makes the worker call again without delay; from any thread.
  virtual void kick() = 0;
  // Counts as a kick: the pause that runs was measured by the old period.
  virtual void set_period(std::chrono::milliseconds period) = 0;
  // Ends after the call that runs. Whether it ended in time.
  virtual bool finish(std::chrono::milliseconds timeout) = 0;
};

// A lock for one at a time, for work that waits for the volume meanwhile: std::lock_guard takes it.
class Exclusion {
 public:
  virtual ~Exclusion() = default;
  virtual void lock() = 0;
  virtual void unlock() = 0;
};

class Threads {
 public:
  virtual ~Threads() = default;
  [[nodiscard]] virtual std::unique_ptr<Worker> repeat(std::chrono::milliseconds period,
                                                       std::function<void()> tick) = 0;
  // True if `work` ended within `timeout`; as above, it may be left behind.
  virtual bool run_bounded(std::chrono::milliseconds timeout, std::function<void()> work) = 0;
  [[nodiscard]] virtual std::shared_ptr<Exclusion> make_exclusion() = 0;
  // Holds up the calling thread, which is a worker's.
  virtual void pause(std::chrono::milliseconds time) = 0;
};

}  // namespace reprise::agent
