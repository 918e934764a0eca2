// The machine itself.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/run/host.h"
#include "agent/process/private_directory.h"
#include "agent/process/reports/progress_file.h"
#include "agent/process/reports/report_channel.h"
#include "agent/process/reports/status_server.h"
#include "agent/process/system_signals.h"
#include "agent/process/system_threads.h"
#include "agent/process/trainer/output_relay.h"

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
  // The trainer writes to the agent's own streams where nobody listens, and on a terminal.
  void listen(std::shared_ptr<TrainerOutput> output) override { output_ = std::move(output); }
  [[nodiscard]] std::optional<std::string> read_progress_file() override;
  [[nodiscard]] std::optional<std::string> progress_text() override;
  [[nodiscard]] std::string own_notice_file() override;
  void hear_status(std::function<void(std::string_view json)> tell) override { hear_status_ = std::move(tell); }
  // Before the first report; null: none is sent.
  void report_by(std::unique_ptr<ReportChannel> channel) { reports_ = std::move(channel); }
  void send_report(const std::string& json) override {
    if (reports_) reports_->send(json);
  }
  [[nodiscard]] pid_t pid() const override;
  [[nodiscard]] std::vector<Process> processes() const override;
  [[nodiscard]] std::optional<pid_t> newest_pid() const override;
  [[nodiscard]] bool is_running(pid_t pid) const override;
  [[nodiscard]] bool was_given_a_rank(pid_t pid) const override;
  [[nodiscard]] HeldFiles held_files(pid_t pid, const std::string& directory) const override;
  bool send(pid_t pid, int signal) const override;
  void write_termination_log(const std::string& path, const std::string& text) override;
  void say(std::string_view text) override;

 private:
  // The variables by which a trainer finds how to say how far it is.
  [[nodiscard]] std::map<std::string, std::string> progress_ways();
  [[nodiscard]] std::unique_ptr<OutputRelay> relay(int to, OutputStream stream) const;

  runtime::SystemClock clock_;
  std::shared_ptr<const SystemSignals> signals_ = std::make_shared<SystemSignals>();
  SystemThreads threads_;
  std::shared_ptr<TrainerOutput> output_;
  // Read by another thread than the one that makes it.
  std::shared_ptr<ProgressFile> progress_file_;
  std::mutex mutex_;
  std::unique_ptr<PrivateDirectory> directory_;
  std::function<void(std::string_view)> hear_status_;
  std::unique_ptr<StatusServer> status_server_;
  std::unique_ptr<ReportChannel> reports_;
};

}  // namespace reprise::agent
