// The trainer as the agent's child.
//
// Process group and terminal: the trainer leads a process group of its own, so that SIGTERM and SIGKILL reach all of it
// and never the agent. When the agent was in the foreground of a terminal (kubectl attach -it, a shell), the trainer's
// group takes that place: it can read from the terminal, and Ctrl-C goes to it alone. The agent takes the place back
// when the trainer has ended. Without a terminal nothing of this happens.
// Standard input, working directory and signal mask are those the agent was started with; so are standard output and
// error, but for pipes that are copied to them (output_relay.h). The kernel kills the
// trainer when the agent dies: a trainer that nobody watches could write beside its successor.
#pragma once

#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/run/host.h"
#include "agent/process/resume_link.h"
#include "agent/process/trainer/ends_of_others.h"
#include "agent/process/trainer/output_relay.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// The setting in which it is started, beyond its command.
struct TrainerSetting {
  std::map<std::string, std::string> variables;  // in place of the agent's own; an empty one is absent
  sigset_t mask{};
  std::unique_ptr<OutputRelay> output, error;  // null: the agent's own
};

class TrainerProcess final : public Trainer {
 public:
  // A command that is not there gives NotFound, one that cannot be executed Forbidden.
  [[nodiscard]] static runtime::Result<std::unique_ptr<TrainerProcess>> start(const std::vector<std::string>& command,
                                                                              TrainerSetting setting,
                                                                              const runtime::Clock& clock);
  // For as long as the trainer may read it.
  void keep(std::unique_ptr<ResumeLink> link) { link_ = std::move(link); }

  [[nodiscard]] pid_t pid() const override { return pid_; }
  void send(int signal) const override;
  void send_group(int signal) const override;
  void reap() override;
  [[nodiscard]] std::optional<int> exit_code() const override { return exit_code_; }
  [[nodiscard]] bool group_gone() const override;
  [[nodiscard]] bool kill_all(std::chrono::milliseconds timeout,
                              const std::function<void(std::chrono::milliseconds)>& pause) override;
  void give_terminal_back() const override;
  [[nodiscard]] bool hide_ends(const std::vector<pid_t>& pids) override;
  void show_ends() override { ends_.show(); }
  void follow_ends(const std::vector<pid_t>& pids) override { ends_.follow(pids); }
  [[nodiscard]] std::optional<int> exit_code_of(pid_t pid) const override;
  [[nodiscard]] bool drain_output(std::chrono::milliseconds timeout) override;

 private:
  TrainerProcess(pid_t pid, bool has_terminal, const runtime::Clock& clock)
      : pid_(pid), has_terminal_(has_terminal), clock_(clock) {}

  pid_t pid_;
  bool has_terminal_;
  const runtime::Clock& clock_;
  std::unique_ptr<ResumeLink> link_;
  std::unique_ptr<OutputRelay> output_, error_;
  bool all_gone_ = false;
  std::optional<int> exit_code_;
  EndsOfOthers ends_;
};

// Orphans below the agent become its children, also when it is not PID 1.
void adopt_orphans();

}  // namespace reprise::agent
