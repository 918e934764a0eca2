#include "agent/process/install.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "agent/volume/file_descriptor.h"
#include "agent/volume/volume_files.h"

namespace reprise::agent {
namespace {

runtime::Result<void> copy(const std::filesystem::path& to) {
  const FileDescriptor source(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  if (!source.valid()) return std::unexpected(system_error("open /proc/self/exe", errno));
  const FileDescriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755));
  if (!target.valid()) return std::unexpected(system_error("open " + to.string(), errno));
  for (;;) {
    const ssize_t sent = ::sendfile(target.get(), source.get(), nullptr, std::size_t{1} << 30U);
    if (sent == 0) break;
    if (sent < 0 && errno != EINTR) return std::unexpected(system_error("write " + to.string(), errno));
  }
  if (::fchmod(target.get(), 0755) != 0) return std::unexpected(system_error("chmod " + to.string(), errno));
  if (::fsync(target.get()) != 0) return std::unexpected(system_error("fsync " + to.string(), errno));
  return {};
}

}  // namespace

runtime::Result<void> install(const std::filesystem::path& directory) {
  const auto target = directory / "reprise-agent";
  const auto temporary = directory / (".reprise-agent." + std::to_string(::getpid()));
  auto done = copy(temporary);
  if (done && std::rename(temporary.c_str(), target.c_str()) != 0) {
    done = std::unexpected(system_error("rename to " + target.string(), errno));
  }
  if (!done) ::unlink(temporary.c_str());
  return done;
}

}  // namespace reprise::agent
