// The machine as one simulated agent sees it: virtual time, the signals it is sent, its trainer of the gang.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/run/environment.h"
#include "agent/core/run/host.h"
#include "simulator/actors/agent/agent_threads.h"
#include "simulator/actors/agent/gang.h"

namespace reprise::simulator {

// The signals of one process: it waits for them on its main fiber.
class AgentSignals final : public agent::Signals {
 public:
  AgentSignals(EventLoop& loop, Fibers& fibers) : loop_(loop), fibers_(fibers) {}
  void raise(agent::ReceivedSignal signal);

  [[nodiscard]] std::optional<agent::ReceivedSignal> wait(runtime::Instant until) const override;
  // A change of anything that the main thread looks at wakes it.
  [[nodiscard]] std::optional<agent::ReceivedSignal> wait_idle(runtime::Instant until) const override;
  void wake() const override;

 private:
  [[nodiscard]] std::optional<agent::ReceivedSignal> next(std::optional<Duration> until) const;

  EventLoop& loop_;
  Fibers& fibers_;
  mutable std::deque<agent::ReceivedSignal> raised_;
  mutable bool woken_ = false;
  mutable Fibers::Id waiting_ = 0;
};

struct TrainerPlace {
  TrainerId id;
  std::string namespace_, pod;
  std::string machine, volume;
  TrainingPlan plan;
  int ranks = 1;       // size of its gang
  bool leads = false;  // its agent looks after the volume
  int notice_signal = 0;
  Duration grace{0};
  Duration longest_hang{0};  // Trainer::longest_hang
};

class AgentHost final : public agent::Host {
 public:
  AgentHost(Cluster& cluster, Volumes& volumes, Gangs& gangs, Fibers& fibers, AgentThreads& threads,
            TrainerPlace place);
  ~AgentHost() override;
  AgentHost(const AgentHost&) = delete;
  AgentHost& operator=(const AgentHost&) = delete;

  [[nodiscard]] const runtime::Clock& clock() const override { return clock_; }
  [[nodiscard]] std::shared_ptr<const agent::Signals> signals() const override { return signals_; }
  [[nodiscard]] agent::Threads& threads() override { return threads_; }
  [[nodiscard]] runtime::Result<std::unique_ptr<agent::Trainer>> start_trainer(const std::vector<std::string>& command,
                                                                               const std::string& checkpoint) override;
  [[nodiscard]] pid_t pid() const override;
  [[nodiscard]] std::vector<agent::Process> processes() const override;
  [[nodiscard]] bool is_running(pid_t pid) const override;
  bool send(pid_t pid, int signal) const override;
  [[nodiscard]] std::optional<std::string> read_progress_file() override;
  void send_report(const std::string& json) override;
  void write_termination_log(const std::string& path, const std::string& text) override;
  void say(std::string_view text) override;

  // ---- for the machine and the kubelet
  // Sends SIGTERM to the container's process.
  void terminate();
  void pre_stop();
  void request_checkpoint() const;
  void stood_still(bool still);
  void cut_off(bool cut);
  // Tells the gang that the agent has looked at the fence, and goes on.
  void looked() const;
  [[nodiscard]] const std::string& termination_message() const { return message_; }
  AgentSignals& raised() { return *signals_; }

 private:
  class GangTrainer;
  struct AskedClock final : runtime::Clock {
    AskedClock(const EventLoop& its_loop, AgentThreads& its_threads) : loop(its_loop), threads(its_threads) {}
    [[nodiscard]] runtime::WallTime wall() const override;
    [[nodiscard]] runtime::Instant steady() const override;
    const EventLoop& loop;
    AgentThreads& threads;
  };
  void signal_trainer(int signal) const;
  void end_trainer(int exit_code) const;
  void kill_trainer() const;
  void lose_helpers() const;

  Cluster& cluster_;
  Volumes& volumes_;
  Gangs& gangs_;
  Fibers& fibers_;
  AgentThreads& threads_;
  TrainerPlace place_;
  AskedClock clock_;
  std::shared_ptr<AgentSignals> signals_;
  std::shared_ptr<Gang> gang_;
  mutable bool runs_ = false;  // the trainer
  mutable std::optional<int> trainer_code_;
  bool cut_off_ = false;
  std::optional<std::int64_t> told_;  // the last step in its progress file
  std::optional<Duration> stop_requested_;
  std::string message_;
};

}  // namespace reprise::simulator
