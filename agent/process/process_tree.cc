#include "agent/process/process_tree.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>

namespace reprise::agent {
namespace {

// A process that has gone meanwhile gives parent 0.
Process read_process(pid_t pid) {
  Process process{.pid = pid};
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value == std::string::npos) continue;
    const char* end = line.data() + line.size();
    if (line.starts_with("PPid:")) std::from_chars(line.data() + value, end, process.parent);
    if (line.starts_with("Name:")) process.name = line.substr(value);
    if (line.starts_with("SigBlk:")) std::from_chars(line.data() + value, end, process.blocked, 16);
    if (line.starts_with("State:")) {
      process.ended = line[value] == 'Z' || line[value] == 'X';
      process.stopped = line[value] == 'T';
    }
    if (line.starts_with("SigIgn:")) std::from_chars(line.data() + value, end, process.ignored, 16);
    if (line.starts_with("SigCgt:")) std::from_chars(line.data() + value, end, process.caught, 16);
  }
  return process;
}

}  // namespace

void each_process(const std::function<void(pid_t)>& tell) {
  std::error_code problem;
  std::filesystem::directory_iterator entry("/proc", problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    pid_t pid = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad == std::errc{} && end == name.data() + name.size()) tell(pid);
  }
}

bool is_running(pid_t pid) {
  const Process process = read_process(pid);
  return process.parent != 0 && !process.ended;
}

std::vector<Process> processes_below(pid_t ancestor) {
  std::vector<Process> all;
  each_process([&](pid_t pid) { all.push_back(read_process(pid)); });
  std::vector<Process> below;
  std::set<pid_t> known{ancestor};
  for (bool grown = true; grown;) {
    grown = false;
    for (const Process& each : all) {
      if (!known.contains(each.parent) || !known.insert(each.pid).second) continue;
      below.push_back(each);
      grown = true;
    }
  }
  return below;
}

}  // namespace reprise::agent
