#include "apps/reprise/output_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace reprise::apps {
namespace {

std::unexpected<runtime::Error> failed(const std::filesystem::path& file, int problem) {
  return runtime::fail(runtime::ErrorClass::Terminal, file.string() + ": " + std::generic_category().message(problem));
}

// Empty: the holder has not written its name yet.
std::string holder_in(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  const std::string number(text.data(), static_cast<std::size_t>(size > 0 ? size : 0));
  return number.substr(0, number.find('\n'));
}

}  // namespace

runtime::Result<OutputLock> OutputLock::take(const std::filesystem::path& file) {
  OutputLock lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock.descriptor_ < 0) return failed(file, errno);
  if (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failed(file, errno);
    const std::string holder = holder_in(lock.descriptor_);
    return runtime::fail(runtime::ErrorClass::Conflict,
                         file.parent_path().string() + " is in use by " +
                             (holder.empty() ? "another process" : "process " + holder) +
                             "; wait until that run has ended, or name another directory with --output-dir");
  }
  const std::string own = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock.descriptor_, 0) != 0 ||
      ::pwrite(lock.descriptor_, own.data(), own.size(), 0) != static_cast<ssize_t>(own.size()))
    return failed(file, errno);
  return lock;
}

OutputLock::OutputLock(OutputLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputLock::~OutputLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace reprise::apps
