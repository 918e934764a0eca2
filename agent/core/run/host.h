// The agent's core needs this of the machine that it runs on besides the volume, as seams: system_host.h is the real
// one, the simulator brings another.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/progress/trainer_output.h"
#include "agent/core/run/worker.h"
#include "agent/core/stop/processes.h"
#include "agent/core/stop/stop_request.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// The signals that this process is sent.
class Signals {
 public:
  virtual ~Signals() = default;
  // The next signal; nothing at the deadline or after `wake`.
  [[nodiscard]] virtual std::optional<ReceivedSignal> wait(runtime::Instant until) const = 0;
  // The same where nothing depends on the time: whoever knows that nothing has changed may go on waiting.
  [[nodiscard]] virtual std::optional<ReceivedSignal> wait_idle(runtime::Instant until) const = 0;
  // Ends a wait early; from any thread.
  virtual void wake() const = 0;
};

// The trainer as the agent's child, in a process group of its own.
class Trainer {
 public:
  virtual ~Trainer() = default;
  [[nodiscard]] virtual pid_t pid() const = 0;
  virtual void send(int signal) const = 0;        // to the trainer itself
  virtual void send_group(int signal) const = 0;  // to all of its process group
  // Reaps every child that has ended (orphans too). Call on SIGCHLD.
  virtual void reap() = 0;
  // The exit code as a shell has it: the code, or 128 + the signal. Empty while the trainer runs.
  [[nodiscard]] virtual std::optional<int> exit_code() const = 0;
  // No process is left in the trainer's group. What has left the group was never asked to end and is not waited for.
  [[nodiscard]] virtual bool group_gone() const = 0;
  // Kills whatever is left below the agent, again and again until nothing is; whether that was so in time.
  // `pause` waits a moment.
  [[nodiscard]] virtual bool kill_all(std::chrono::milliseconds timeout,
                                      const std::function<void(std::chrono::milliseconds)>& pause) = 0;
  virtual void give_terminal_back() const = 0;
  // Keeps the parents of these from learning that they have ended, until show_ends(); false where that cannot be so of
  // one of them.
  [[nodiscard]] virtual bool hide_ends(const std::vector<pid_t>& pids) { return pids.empty(); }
  virtual void show_ends() {}
  // Remembers how these end, and nobody else, as far as the kernel tells it.
  virtual void follow_ends(const std::vector<pid_t>& pids) { static_cast<void>(pids); }
  // The exit code of any process below the agent, as exit_code() has it. Empty: it runs, or nobody knows.
  [[nodiscard]] virtual std::optional<int> exit_code_of(pid_t pid) const {
    return pid == this->pid() ? exit_code() : std::nullopt;
  }
  // After its end: what it has printed is passed on. Whether all of it was in time; the rest is given up then.
  [[nodiscard]] virtual bool drain_output(std::chrono::milliseconds timeout) {
    static_cast<void>(timeout);
    return true;
  }
};

// What a process holds open.
struct HeldFiles {
  // Changes as it writes to files below a directory; empty: it holds none there to write to.
  std::optional<std::uint64_t> written{};
  bool gpu = false;  // or another accelerator
};

class Host {
 public:
  virtual ~Host() = default;
  [[nodiscard]] virtual const runtime::Clock& clock() const = 0;
  [[nodiscard]] virtual std::shared_ptr<const Signals> signals() const = 0;
  [[nodiscard]] virtual Threads& threads() = 0;

  // `checkpoint` (its directory; empty: none) becomes $REPRISE_RESUME_FROM. A command that is not there gives NotFound,
  // one that cannot be executed Forbidden.
  [[nodiscard]] virtual runtime::Result<std::unique_ptr<Trainer>> start_trainer(const std::vector<std::string>& command,
                                                                                const std::string& checkpoint) = 0;
  // Shows the next trainer's output to it, where that can be done.
  virtual void listen(std::shared_ptr<TrainerOutput> output) { static_cast<void>(output); }
  // Sends the next trainer's words by the status protocol of TrainJobs (trainer_status.h) to `tell`, from any thread.
  virtual void hear_status(std::function<void(std::string_view json)> tell) { static_cast<void>(tell); }
  // The text that the trainer has written to $REPRISE_PROGRESS_FILE, if that has changed since the last call; may hang.
  [[nodiscard]] virtual std::optional<std::string> read_progress_file() { return std::nullopt; }
  // The whole text that stands there now, at whatever time it was written; may hang.
  [[nodiscard]] virtual std::optional<std::string> progress_text() { return std::nullopt; }
  // The file that the trainer finds in $REPRISE_STEP_FILE; empty: there is none.
  [[nodiscard]] virtual std::string own_notice_file() { return {}; }
  [[nodiscard]] virtual pid_t pid() const = 0;
  // Everything below the agent.
  [[nodiscard]] virtual std::vector<Process> processes() const = 0;
  // The number that the newest process or thread was given; the same one again: none was started since. Empty
  // where that is not known.
  [[nodiscard]] virtual std::optional<pid_t> newest_pid() const { return std::nullopt; }
  // True if there is such a process and it has not ended.
  [[nodiscard]] virtual bool is_running(pid_t pid) const = 0;
  // True if the program that has started it gave it a number among others, as launchers do.
  [[nodiscard]] virtual bool was_given_a_rank(pid_t pid) const {
    static_cast<void>(pid);
    return false;
  }
  [[nodiscard]] virtual HeldFiles held_files(pid_t pid, const std::string& directory) const {
    static_cast<void>(pid), static_cast<void>(directory);
    return {};
  }
  // True if the process was there to be sent it.
  virtual bool send(pid_t pid, int signal) const = 0;

  // Reports to the operator, who may not answer for some seconds, or at all. Called from one thread at a time.
  virtual void send_report(const std::string& json) { static_cast<void>(json); }

  virtual void write_termination_log(const std::string& path, const std::string& text) = 0;
  // Says one line to people.
  virtual void say(std::string_view text) = 0;
};

}  // namespace reprise::agent
