#include "rehearsal/processes/marked_processes.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>

#include "agent/process/process_tree.h"

namespace reprise::rehearsal {
namespace {

constexpr int kLooks = 1'000;  // a millisecond apart; the kernel needs less to set up a program

std::filesystem::path directory_of(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Whether a process whose environment was read as empty has none for good: a kernel thread, one that has ended, or one
// that was executed without any. Otherwise it was between two programs.
bool has_no_environment(pid_t pid) {
  std::error_code problem;
  std::ignore = std::filesystem::read_symlink(directory_of(pid) / "exe", problem);
  if (problem) return true;
  constexpr int kFirstAfterName = 3, kBeginning = 50, kEnd = 51;  // fields of proc_pid_stat(5)
  const std::string stat = text_of(directory_of(pid) / "stat");
  std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  std::string state, beginning, end;
  fields >> state;
  std::string field;
  for (int number = kFirstAfterName + 1; fields >> field && number <= kEnd; ++number) {
    if (number == kBeginning) beginning = field;
    if (number == kEnd) end = field;
  }
  return end.empty() || state == "Z" || state == "X" || (beginning == end && end != "0");
}

std::string environment_of(pid_t pid) {
  for (int look = 0;; ++look) {
    std::string environment = text_of(directory_of(pid) / "environ");
    if (!environment.empty() || look == kLooks || has_no_environment(pid)) return environment;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
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
