// The machine itself.
#pragma once

#include "agent/core/host.h"
#include "agent/process/system_signals.h"
#include "agent/process/system_threads.h"

namespace reprise::agent {

class SystemHost final : public Host {
 public:
  // To be made before any thread is started (system_signals.h).
  SystemHost() = default;

  [[nodiscard]] const runtime::Clock& clock() const override { return clock_; }
  [[nodiscard]] std::shared_ptr<const Signals> signals() const override { return signals_; }
  [[nodiscard]] Threads& threads() override { return threads_; }
  [[nodiscard]] runtime::Result<std::unique_ptr<Trainer>> start_trainer(const std::vector<std::string>& command,
                                                                        const std::string& checkpoint) override;
  [[nodiscard]] pid_t pid() const override;
  [[nodiscard]] std::vector<Process> processes() const override;
  [[nodiscard]] bool is_running(pid_t pid) const override;
  bool send(pid_t pid, int signal) const override;
  void write_termination_log(const std::string& path, const std::string& text) override;
  void say(std::string_view text) override;

 private:
  runtime::SystemClock clock_;
  std::shared_ptr<const SystemSignals> signals_ = std::make_shared<SystemSignals>();
  SystemThreads threads_;
};

}  // namespace reprise::agent
