#include "agent/process/trainer/process_tree.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "agent/core/stop/process_list.h"
#include "agent/volume/file_descriptor.h"
#include "agent/volume/open_files.h"
#include "runtime/base/files/growing_list.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kMostText = std::size_t{16} << 10U;
constexpr std::size_t kMostEnvironment = std::size_t{256} << 10U;
constexpr std::array<std::string_view, 7> kRanks{"RANK",     "LOCAL_RANK",   "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                                 "PMI_RANK", "SLURM_PROCID", "HOROVOD_RANK"};

std::string text_of(const std::string& path, std::size_t most = kMostText) {
  const FileDescriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(most, '\0');
  std::size_t have = 0;
  while (in.valid() && have < most) {
    const auto read = ::read(in.get(), text.data() + have, most - have);
    if (read <= 0) break;
    have += static_cast<std::size_t>(read);
  }
  text.resize(have);
  return text;
}

// A process that ends meanwhile has no more text.
std::string text_of(pid_t pid, const char* file, std::size_t most = kMostText) {
  return text_of("/proc/" + std::to_string(pid) + "/" + file, most);
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// Its words end with a 0 each; none of a process that has ended.
void read_command(Process& process) {
  const std::string line = text_of(process.pid, "cmdline");
  if (line.empty()) return;
  process.command = std::hash<std::string>()(line) | 1U;
  const std::string_view words = line;
  const auto end = words.find('\0');
  process.program = base_name(words.substr(0, end));
  // An applet of busybox that is called by its name.
  if (process.program == "busybox" && end + 1 < words.size())
    process.program = base_name(words.substr(end + 1, words.find('\0', end + 1) - end - 1));
  process.multiprocessing = line.find("multiprocessing.spawn") != std::string::npos ||
                            line.find("multiprocessing.forkserver") != std::string::npos;
}

// proc_pid_stat(5): fields 14, 15 and 22, counted from behind the name, which may hold anything.
void read_times(Process& process) {
  const std::string stat = text_of(process.pid, "stat");
  std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  constexpr int name = 2, user = 14, system = 15, started = 22;
  std::string field;
  std::uint64_t ticks = 0;
  for (int number = name + 1; number <= started && fields >> field; ++number) {
    std::uint64_t value = 0;
    std::from_chars(field.data(), field.data() + field.size(), value);
    if (number == user || number == system) ticks += value;
    if (number == started) process.started = value;
  }
  process.cpu = std::chrono::milliseconds(ticks * 1'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

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

std::vector<pid_t> processes_now() {
  return processes_in("/proc");
}

}  // namespace

void each_process(const std::function<void(pid_t)>& tell) {
  runtime::tell_each_of_growing<pid_t>(processes_now, tell);
}

std::optional<pid_t> newest_pid() {
  const std::string text = text_of("/proc/loadavg");
  const auto last = text.rfind(' ');
  pid_t pid = 0;
  if (last != std::string::npos) std::from_chars(text.data() + last + 1, text.data() + text.size(), pid);
  return pid > 0 ? std::optional(pid) : std::nullopt;
}

bool is_running(pid_t pid) {
  const Process process = read_process(pid);
  return process.parent != 0 && !process.ended;
}

pid_t parent_of(pid_t pid) {
  return read_process(pid).parent;
}

bool was_given_a_rank(pid_t pid) {
  const std::string environment = '\0' + text_of(pid, "environ", kMostEnvironment);
  return std::ranges::any_of(kRanks, [&](std::string_view name) {
    const std::string variable = '\0' + std::string(name) + '=';
    const auto at = environment.find(variable);
    if (at == std::string::npos) return false;
    const auto value = at + variable.size();
    const char* const own = std::getenv(std::string(name).c_str());
    return own == nullptr || environment.substr(value, environment.find('\0', value) - value) != own;
  });
}

std::vector<Process> processes_below(pid_t ancestor) {
  auto below = list_below(ancestor, {.pids = processes_now, .read = read_process});
  for (Process& each : below) {
    read_command(each);
    read_times(each);
  }
  return below;
}

}  // namespace reprise::agent
