// The executor of a real process: one thread that runs an Asio event loop.
#pragma once

#include <memory>

#include "runtime/base/executor.h"

namespace reprise::runtime {

class AsioExecutor final : public Executor {
 public:
  // Starts the thread.
  AsioExecutor();
  // stop().
  ~AsioExecutor() override;
  AsioExecutor(const AsioExecutor&) = delete;
  AsioExecutor& operator=(const AsioExecutor&) = delete;

  void post(std::function<void()> work) override;
  [[nodiscard]] std::unique_ptr<Timer> after(Duration delay, std::function<void()> work) override;
  // Ends the loop and joins the thread; work that has not begun is dropped. Not from the thread itself.
  void stop();
  [[nodiscard]] bool on_thread() const;

  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace reprise::runtime
