#include "agent/process/system_host.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "agent/core/environment.h"
#include "agent/process/process_tree.h"
#include "agent/process/resume_link.h"
#include "agent/process/trainer_process.h"
#include "agent/volume/file_descriptor.h"
#include "protocol/environment.h"

namespace reprise::agent {

runtime::Result<std::unique_ptr<Trainer>> SystemHost::start_trainer(const std::vector<std::string>& command,
                                                                    const std::string& checkpoint) {
  std::unique_ptr<ResumeLink> link;
  if (!checkpoint.empty()) link = std::make_unique<ResumeLink>(checkpoint, private_places());
  adopt_orphans();
  auto file =
      std::make_shared<ProgressFile>(process_environment(protocol::kProgressFile).value_or(""), private_places());
  {
    const std::lock_guard lock(mutex_);
    progress_file_ = file;
  }
  auto trainer = TrainerProcess::start(command,
                                       {.resume_from = link ? link->path() : std::string(),
                                        .progress_file = file->path(),
                                        .mask = signals_->original_mask(),
                                        .output = relay(STDOUT_FILENO, OutputStream::Output),
                                        .error = relay(STDERR_FILENO, OutputStream::Error)},
                                       clock_);
  if (!trainer) return std::unexpected(std::move(trainer.error()));
  (*trainer)->keep(std::move(link));
  return std::move(*trainer);
}

std::unique_ptr<OutputRelay> SystemHost::relay(int to, OutputStream stream) const {
  if (!output_) return nullptr;
  return OutputRelay::open(to, [output = output_, stream](std::string_view bytes) {
    output->take(stream, bytes, runtime::SystemClock().steady());
  });
}

std::optional<std::string> SystemHost::read_progress_file() {
  std::shared_ptr<ProgressFile> file;
  {
    const std::lock_guard lock(mutex_);
    file = progress_file_;
  }
  return file ? file->read_if_changed() : std::nullopt;
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
