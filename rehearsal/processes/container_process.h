// A container as a local process: runs its command, and makes sure that no process of it is left.
//
// A supervisor (a fork of the caller) stands between: it gives the command its view of the machine, passes signals on,
// and, when the command has ended, kills every process that it has left behind, also one in a session of its own or
// orphaned. When the caller dies, all of it dies.
//
// For a caller with one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rehearsal/processes/isolation.h"
#include "rehearsal/processes/private_root.h"
#include "runtime/base/error.h"

namespace reprise::rehearsal {

struct ContainerCommand {
  std::vector<std::string> words;                                     // the first is looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment = {};  // all of it
  std::filesystem::path directory = {};                               // to start in; empty: the caller's
  std::filesystem::path output = {};                                  // both streams, appended
  std::vector<Mount> mounts = {};                                     // needs Isolation::mounts
  std::filesystem::path scratch = {};                                 // an empty directory, for mounts
};

struct ContainerEnd {
  int exit_code = 0;    // 128 + signal when a signal ended it
  int signal = 0;       // 0: none
  int left_behind = 0;  // processes that had outlived the command and were killed; not known with own process tables
};

class ContainerProcess {
 public:
  // Returns when the command has been executed. NotFound: there is no such command; otherwise Terminal, which names the
  // step that failed.
  [[nodiscard]] static runtime::Result<ContainerProcess> start(const ContainerCommand& command,
                                                               const Isolation& isolation);
  ContainerProcess(ContainerProcess&& other) noexcept;
  ContainerProcess(const ContainerProcess&) = delete;
  ContainerProcess& operator=(const ContainerProcess&) = delete;
  // Kills the processes that still run and waits for them.
  ~ContainerProcess();

  // The pid of the command itself, as the caller sees it.
  [[nodiscard]] pid_t pid() const { return main_; }
  [[nodiscard]] pid_t supervisor() const { return supervisor_; }
  // Becomes readable when all processes have ended.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Sends it to the command itself; SIGKILL: to all of its processes.
  void send(int signal) const;
  // Returns when no process of it is left.
  void kill_and_wait();
  // Empty while a process runs.
  [[nodiscard]] std::optional<ContainerEnd> ended();

 private:
  ContainerProcess() = default;
  void reap();

  pid_t supervisor_ = -1, main_ = -1;
  int descriptor_ = -1, report_ = -1;
  std::optional<ContainerEnd> end_;
};

// Orphans of supervisors that were killed become the caller's children. Once, at the start.
void adopt_orphans_of_supervisors();
// Kills processes below the caller that belong to no running container; returns how many there were.
int kill_orphans(const std::vector<const ContainerProcess*>& running);

}  // namespace reprise::rehearsal
