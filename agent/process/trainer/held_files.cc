#include "agent/process/trainer/held_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>
#include <system_error>

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 4> kAccelerators{"/dev/nvidia", "/dev/kfd", "/dev/dri/renderD", "/dev/accel"};

std::string target_of(const std::filesystem::path& link) {
  std::array<char, PATH_MAX> target{};
  const auto size = ::readlink(link.c_str(), target.data(), target.size());
  return size > 0 ? std::string(target.data(), static_cast<std::size_t>(size)) : std::string();
}

// The position; empty where it was not opened to write.
std::string position_of(const std::filesystem::path& info) {
  std::ifstream in(info);
  std::string field, position;
  int flags = O_RDONLY;
  while (in >> field) {
    if (field == "pos:") in >> position;
    if (field == "flags:") in >> std::oct >> flags;
  }
  return (flags & O_ACCMODE) == O_RDONLY ? std::string() : position;
}

}  // namespace

HeldFiles files_held_by(pid_t pid, const std::string& directory) {
  const std::filesystem::path process = "/proc/" + std::to_string(pid);
  const std::string below = directory.ends_with('/') ? directory : directory + "/";
  HeldFiles held;
  std::error_code problem;
  std::filesystem::directory_iterator entry(process / "fd", problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
    const std::string target = target_of(entry->path());
    held.gpu =
        held.gpu || std::ranges::any_of(kAccelerators, [&](std::string_view each) { return target.starts_with(each); });
    if (!target.starts_with(below)) continue;
    const std::string position = position_of(process / "fdinfo" / entry->path().filename());
    if (!position.empty())
      held.written = held.written.value_or(0) * 31 + std::hash<std::string>()(target + " " + position);
  }
  return held;
}

}  // namespace reprise::agent
