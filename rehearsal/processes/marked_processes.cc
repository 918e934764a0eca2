#include "rehearsal/processes/marked_processes.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>

#include "agent/process/trainer/process_tree.h"
#include "runtime/base/files/file_text.h"

namespace reprise::rehearsal {
namespace {

constexpr int kLooks = 1'000;  // a millisecond apart; the kernel needs less to set up a program

std::filesystem::path directory_of(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

std::string text_of(const std::filesystem::path& path) {
  return runtime::file_text(path).value_or("");
}

// False for kernel threads and for processes that have ended: they run no program.
bool runs_a_program(pid_t pid) {
  std::error_code problem;
  std::ignore = std::filesystem::read_symlink(directory_of(pid) / "exe", problem);
  return !problem;
}

// Bounds of a process's environment in its memory, in words of proc_pid_stat(5): twice "0" while another program is set
// up.
struct Bounds {
  std::string beginning, end;

  bool operator==(const Bounds&) const = default;
  [[nodiscard]] bool empty() const { return beginning == end && end != "0"; }
};

Bounds bounds_of(pid_t pid) {
  constexpr int kFirstAfterName = 3, kBeginning = 50, kEnd = 51;
  const std::string stat = text_of(directory_of(pid) / "stat");
  std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  Bounds bounds;
  std::string field;
  for (int number = kFirstAfterName; number <= kEnd && fields >> field; ++number) {
    if (number == kBeginning) bounds.beginning = field;
    if (number == kEnd) bounds.end = field;
  }
  return bounds;
}

// A program is executed without environment when it has none in two looks: the kernel writes the bounds one after the
// other, and another program's lie elsewhere.
std::string environment_of(pid_t pid) {
  Bounds before;
  for (int look = 0; look < kLooks; ++look) {
    std::string environment = text_of(directory_of(pid) / "environ");
    if (!environment.empty() || !runs_a_program(pid)) return environment;
    const Bounds now = bounds_of(pid);
    if (now.empty() && now == before) return {};
    before = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

bool carries(pid_t pid, std::string_view mark) {
  std::istringstream environment(environment_of(pid));
  for (std::string variable; std::getline(environment, variable, '\0');)
    if (variable == mark) return true;
  return false;
}

}  // namespace

std::vector<pid_t> marked_processes(std::string_view mark) {
  std::vector<pid_t> found;
  agent::each_process([&](pid_t pid) {
    if (carries(pid, mark)) found.push_back(pid);
  });
  return found;
}

}  // namespace reprise::rehearsal
