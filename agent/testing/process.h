// Runs real programs for process tests: start, wait for a condition, signal, wait for the end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reprise::agent::testing_support {

using Variables = std::map<std::string, std::string>;

inline constexpr std::chrono::seconds kTimeout{40};

// Looks again and again; whether it came true in time.
[[nodiscard]] bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds timeout = kTimeout);

struct Command {
  std::vector<std::string> words;
  Variables variables;              // on top of the test's own environment
  std::filesystem::path output;     // standard output and error; empty: the test's own
  std::filesystem::path input;      // empty: /dev/null
  std::filesystem::path directory;  // empty: the test's own
};

// A child process; killed and reaped when the handle goes, if it still runs.
class Process {
 public:
  explicit Process(const Command& command);
  Process(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal) const;
  // The exit code, or 128 + the signal; nothing when it did not end in time.
  [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds timeout = kTimeout);
  [[nodiscard]] bool running();

 private:
  pid_t pid_ = -1;
  std::optional<int> ended_;
};

// A field of /proc/<pid>/status, for example "SigBlk"; empty when there is no such process.
[[nodiscard]] std::string status_of(pid_t pid, const std::string& field);
// True if there is such a process and it is no zombie.
[[nodiscard]] bool lives(pid_t pid);

}  // namespace reprise::agent::testing_support
