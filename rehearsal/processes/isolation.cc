#include "rehearsal/processes/isolation.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <tuple>

#include "rehearsal/processes/system_error.h"

namespace reprise::rehearsal {
namespace {

bool put(const char* file, std::string_view text) {
  const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return written;
}

// Keeps the caller's identity, so that files on the volumes belong to the person who rehearses.
bool keep_identity(uid_t user, gid_t group) {
  // Needed before an unprivileged process may map a group; absent on old kernels.
  std::ignore = put("/proc/self/setgroups", "deny");
  const auto map = [](auto id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; };
  return put("/proc/self/uid_map", map(user)) && put("/proc/self/gid_map", map(group));
}

constexpr int kMounts = 1, kProcesses = 2;

// The body of the child that tries.
int tried(bool user_namespace) {
  if (!enter({.user_namespace = user_namespace, .mounts = true, .processes = true})) return 0;
  if (::mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID, "size=64k") != 0) return 0;
  const pid_t first = ::fork();
  if (first == 0) ::_exit(::mount("proc", "/proc", "proc", 0, nullptr) == 0 ? 0 : 1);
  int status = 1;
  const bool good = first > 0 && ::waitpid(first, &status, 0) == first && status == 0;
  return kMounts | (good ? kProcesses : 0);
}

int try_in_child(bool user_namespace) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(tried(user_namespace));
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 0;
  return WEXITSTATUS(status);
}

}  // namespace

Isolation probe_isolation() {
  for (const bool user_namespace : {false, true}) {
    const int can = try_in_child(user_namespace);
    if ((can & kMounts) != 0)
      return {.user_namespace = user_namespace, .mounts = true, .processes = (can & kProcesses) != 0};
  }
  return {};
}

runtime::Result<void> enter(const Isolation& isolation) {
  if (!isolation.mounts) return {};
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  const int flags =
      CLONE_NEWNS | (isolation.user_namespace ? CLONE_NEWUSER : 0) | (isolation.processes ? CLONE_NEWPID : 0);
  if (::unshare(flags) != 0) return std::unexpected(system_error("unshare", errno));
  if (isolation.user_namespace && !keep_identity(user, group))
    return std::unexpected(system_error("write /proc/self/uid_map", errno));
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return std::unexpected(system_error("make mounts private", errno));
  return {};
}

}  // namespace reprise::rehearsal
