// A machine of values: what its processes are, and what they were sent.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/run/host.h"

namespace reprise::agent::testing_support {

using Sent = std::pair<pid_t, int>;

struct Machine {
  std::vector<Process> tree{};
  std::vector<Sent> sent{};
  std::set<pid_t> hidden{};        // processes whose ends their parents do not see
  std::set<pid_t> given_a_rank{};  // by a launcher
  std::map<pid_t, HeldFiles> held{};
  runtime::Instant now = runtime::Instant(std::chrono::hours(1));
  std::map<pid_t, int> codes{};  // exit codes of those that have ended
  bool may_trace = true;
  pid_t trainer = 2;
  std::optional<pid_t> newest_pid{};
  mutable int lists = 0;  // of all processes that were asked for

  void end(pid_t pid, int code = 0) {
    std::erase_if(tree, [&](const Process& each) { return each.pid == pid; });
    codes[pid] = code;
  }
  std::vector<Sent> take() { return std::exchange(sent, {}); }
};

class MachinesClock final : public runtime::Clock {
 public:
  explicit MachinesClock(const Machine& machine) : machine_(machine) {}
  [[nodiscard]] runtime::WallTime wall() const override { return {}; }
  [[nodiscard]] runtime::Instant steady() const override { return machine_.now; }

 private:
  const Machine& machine_;
};

class MachinesHost final : public Host {
 public:
  explicit MachinesHost(Machine& machine) : machine_(machine) {}
  [[nodiscard]] const runtime::Clock& clock() const override { return clock_; }
  [[nodiscard]] std::shared_ptr<const Signals> signals() const override { return nullptr; }
  [[nodiscard]] Threads& threads() override { std::abort(); }
  [[nodiscard]] runtime::Result<std::unique_ptr<Trainer>> start_trainer(const std::vector<std::string>& /*command*/,
                                                                        const std::string& /*checkpoint*/) override {
    return nullptr;
  }
  [[nodiscard]] pid_t pid() const override { return 1; }
  [[nodiscard]] std::vector<Process> processes() const override {
    ++machine_.lists;
    return machine_.tree;
  }
  [[nodiscard]] std::optional<pid_t> newest_pid() const override { return machine_.newest_pid; }
  [[nodiscard]] bool is_running(pid_t pid) const override { return find_process(pid, machine_.tree) != nullptr; }
  bool send(pid_t pid, int signal) const override {
    machine_.sent.emplace_back(pid, signal);
    return true;
  }
  [[nodiscard]] bool was_given_a_rank(pid_t pid) const override { return machine_.given_a_rank.contains(pid); }
  [[nodiscard]] HeldFiles held_files(pid_t pid, const std::string& /*directory*/) const override {
    const auto held = machine_.held.find(pid);
    return held == machine_.held.end() ? HeldFiles{} : held->second;
  }
  void write_termination_log(const std::string& /*path*/, const std::string& /*text*/) override {}
  void say(std::string_view /*text*/) override {}

 private:
  Machine& machine_;
  MachinesClock clock_{machine_};
};

class MachinesTrainer final : public Trainer {
 public:
  explicit MachinesTrainer(Machine& machine) : machine_(machine) {}
  [[nodiscard]] pid_t pid() const override { return machine_.trainer; }
  void send(int signal) const override { machine_.sent.emplace_back(pid(), signal); }
  void send_group(int /*signal*/) const override {}
  void reap() override {}
  [[nodiscard]] std::optional<int> exit_code() const override {
    return find_process(pid(), machine_.tree) != nullptr ? std::nullopt : std::optional(machine_.codes[pid()]);
  }
  [[nodiscard]] bool hide_ends(const std::vector<pid_t>& pids) override {
    if (machine_.may_trace) machine_.hidden.insert(pids.begin(), pids.end());
    return machine_.may_trace;
  }
  void show_ends() override { machine_.hidden.clear(); }
  [[nodiscard]] std::optional<int> exit_code_of(pid_t pid) const override {
    const auto code = machine_.codes.find(pid);
    return code == machine_.codes.end() ? std::nullopt : std::optional(code->second);
  }
  [[nodiscard]] bool group_gone() const override { return machine_.tree.empty(); }
  [[nodiscard]] bool kill_all(std::chrono::milliseconds /*timeout*/,
                              const std::function<void(std::chrono::milliseconds)>& /*pause*/) override {
    return true;
  }
  void give_terminal_back() const override {}

 private:
  Machine& machine_;
};

}  // namespace reprise::agent::testing_support
