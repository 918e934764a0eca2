#include "rehearsal/processes/marked_processes.h"

#include <fstream>
#include <string>

#include "agent/process/process_tree.h"

namespace reprise::rehearsal {
namespace {

bool carries(pid_t pid, std::string_view mark) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  for (std::string variable; std::getline(in, variable, '\0');)
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
