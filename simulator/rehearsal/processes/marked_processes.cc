#include "simulator/rehearsal/processes/marked_processes.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace reprise::simulator {
namespace {

bool carries(const std::filesystem::path& process, std::string_view mark) {
  std::ifstream in(process / "environ", std::ios::binary);
  for (std::string variable; std::getline(in, variable, '\0');)
    if (variable == mark) return true;
  return false;
}

}  // namespace

std::vector<pid_t> marked_processes(std::string_view mark) {
  std::vector<pid_t> found;
  std::error_code problem;
  std::filesystem::directory_iterator entry("/proc", problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    pid_t pid = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad != std::errc{} || end != name.data() + name.size()) continue;
    if (carries(entry->path(), mark)) found.push_back(pid);
  }
  return found;
}

}  // namespace reprise::simulator
