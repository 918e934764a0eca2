#include "agent/process/system_host.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "agent/process/process_tree.h"
#include "agent/process/resume_link.h"
#include "agent/process/trainer_process.h"
#include "agent/volume/file_descriptor.h"

namespace reprise::agent {

runtime::Result<std::unique_ptr<Trainer>> SystemHost::start_trainer(const std::vector<std::string>& command,
                                                                    const std::string& checkpoint) {
  std::unique_ptr<ResumeLink> link;
  if (!checkpoint.empty()) link = std::make_unique<ResumeLink>(checkpoint, private_places());
  adopt_orphans();
  const std::string resume_from = link ? link->path() : std::string();
  auto trainer = TrainerProcess::start(command, resume_from, signals_->original_mask(), clock_);
  if (!trainer) return std::unexpected(std::move(trainer.error()));
  (*trainer)->keep(std::move(link));
  return std::move(*trainer);
}

pid_t SystemHost::pid() const {
  return ::getpid();
}

std::vector<Process> SystemHost::processes() const {
  return processes_below(::getpid());
}

bool SystemHost::is_running(pid_t pid) const {
  return agent::is_running(pid);
}

bool SystemHost::send(pid_t pid, int signal) const {
  return ::kill(pid, signal) == 0;
}

// In place and without a temporary file: the kubelet has mounted this very file. One that is not there is not made.
void SystemHost::write_termination_log(const std::string& path, const std::string& text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK));
  if (file.valid()) {
    [[maybe_unused]] const auto written = ::write(file.get(), text.data(), text.size());
  }
}

void SystemHost::say(std::string_view text) {
  const std::string line = "reprise-agent: " + std::string(text) + "\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace reprise::agent
