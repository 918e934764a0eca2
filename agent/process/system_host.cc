#include "agent/process/system_host.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>

#include "agent/core/progress/progress_file.h"
#include "agent/core/run/environment.h"
#include "agent/net/read_beginning.h"
#include "agent/process/resume_link.h"
#include "agent/process/trainer/held_files.h"
#include "agent/process/trainer/process_tree.h"
#include "agent/process/trainer/trainer_process.h"
#include "agent/volume/file_descriptor.h"
#include "protocol/environment.h"

namespace reprise::agent {
namespace {

// Seconds that torchrun gives its processes between SIGTERM and SIGKILL, where torch knows it (since March 2026).
constexpr const char* kTorchShutdownTimeout = "TORCH_ELASTIC_SHUTDOWN_TIMEOUT";

}  // namespace

runtime::Result<std::unique_ptr<Trainer>> SystemHost::start_trainer(const std::vector<std::string>& command,
                                                                    const std::string& checkpoint) {
  std::unique_ptr<ResumeLink> link;
  if (!checkpoint.empty()) link = std::make_unique<ResumeLink>(checkpoint, private_places());
  adopt_orphans();
  directory_ = std::make_unique<PrivateDirectory>(private_places());
  std::map<std::string, std::string> variables = progress_ways();
  variables[std::string(protocol::kStepFile)] = own_notice_file();
  variables[std::string(protocol::kResumeFrom)] = link ? link->path() : std::string();
  if (const auto grace = process_environment(protocol::kGrace); grace && !process_environment(kTorchShutdownTimeout))
    variables[kTorchShutdownTimeout] = *grace;
  auto trainer = TrainerProcess::start(command,
                                       {.variables = std::move(variables),
                                        .mask = signals_->original_mask(),
                                        .output = relay(STDOUT_FILENO, OutputStream::Output),
                                        .error = relay(STDERR_FILENO, OutputStream::Error)},
                                       clock_);
  if (!trainer) return std::unexpected(std::move(trainer.error()));
  (*trainer)->keep(std::move(link));
  return std::move(*trainer);
}

std::map<std::string, std::string> SystemHost::progress_ways() {
  std::map<std::string, std::string> variables;
  const std::string& directory = directory_->path();
  std::string path = process_environment(protocol::kProgressFile).value_or("");
  if (path.empty() && !directory.empty()) path = directory + "/progress.json";
  if (!path.empty()) variables[std::string(protocol::kProgressFile)] = path;
  auto file = std::make_shared<ProgressFile>(std::move(path));
  {
    const std::lock_guard lock(mutex_);
    progress_file_ = std::move(file);
  }
  // The URL is a TrainJob's, or the user's: left alone.
  if (!hear_status_ || directory.empty() || process_environment("KUBEFLOW_TRAINER_SERVER_URL")) return variables;
  status_server_ = StatusServer::open(directory, hear_status_);
  if (status_server_) variables.insert(status_server_->variables().begin(), status_server_->variables().end());
  return variables;
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

std::optional<std::string> SystemHost::progress_text() {
  std::shared_ptr<ProgressFile> file;
  {
    const std::lock_guard lock(mutex_);
    file = progress_file_;
  }
  return file && !file->path().empty() ? read_beginning(file->path(), kMaxProgressFileBytes) : std::nullopt;
}

std::string SystemHost::own_notice_file() {
  return directory_ && !directory_->path().empty() ? directory_->path() + "/notice.json" : std::string();
}

pid_t SystemHost::pid() const {
  return ::getpid();
}

std::vector<Process> SystemHost::processes() const {
  return processes_below(::getpid());
}

std::optional<pid_t> SystemHost::newest_pid() const {
  return agent::newest_pid();
}

bool SystemHost::is_running(pid_t pid) const {
  return agent::is_running(pid);
}

bool SystemHost::was_given_a_rank(pid_t pid) const {
  return agent::was_given_a_rank(pid);
}

HeldFiles SystemHost::held_files(pid_t pid, const std::string& directory) const {
  return files_held_by(pid, directory);
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

// A text for which there is no room, since nobody reads, is not said: a stop must not wait for it. A pipe that has room
// has PIPE_BUF.
void SystemHost::say(std::string_view text) {
  constexpr int moment = 200;  // milliseconds
  const std::string line = "reprise-agent: " + std::string(text) + "\n";
  for (std::string_view left = line; !left.empty();) {
    pollfd room{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (::poll(&room, 1, moment) <= 0) return;
    const auto written = ::write(STDERR_FILENO, left.data(), std::min<std::size_t>(left.size(), PIPE_BUF));
    if (written <= 0) return;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace reprise::agent
