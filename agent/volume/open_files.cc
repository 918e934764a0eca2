#include "agent/volume/open_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "runtime/base/files/file_text.h"
#include "runtime/base/files/growing_list.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(DIR* stream) const { ::closedir(stream); }
};
using Directory = std::unique_ptr<DIR, Close>;

bool is_number(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_gone(int problem) {
  return problem == ENOENT || problem == ESRCH;
}

class Search {
 public:
  Search(std::string root, DeviceNumber device, Mappings mappings)
      : root_(std::move(root)), device_(device), mappings_(mappings) {}

  void look_at(const fs::path& process) {
    process_ = process;
    mountinfo_.reset();
    mounts_.clear();
    const auto looked = look_into(process);
    if (looked == 0) look_at_threads();
    if (mappings_ == Mappings::LookAt) look_at_mappings();
  }

  OpenFiles found;

 private:
  // How many descriptors there are; empty: it cannot be looked at, or is gone.
  std::optional<int> look_into(const fs::path& task) {
    const fs::path descriptors = task / "fd";
    const Directory stream(::opendir(descriptors.c_str()));
    if (!stream) {
      note_failed(errno);
      return std::nullopt;
    }
    int count = 0;
    while (const dirent* entry = ::readdir(stream.get())) {
      if (!is_number(entry->d_name)) continue;
      ++count;
      look_at_descriptor(::dirfd(stream.get()), task, entry->d_name);
    }
    return count;
  }

  // A process whose first thread has ended goes on in the others, and shows its descriptors there alone.
  void look_at_threads() {
    const Directory stream(::opendir((process_ / "task").c_str()));
    if (!stream) return;
    while (const dirent* entry = ::readdir(stream.get())) {
      if (is_number(entry->d_name) && process_.filename() != entry->d_name)
        static_cast<void>(look_into(process_ / "task" / entry->d_name));
    }
  }

  // The link's own mode says how the file is open; no server is asked where it lies.
  void look_at_descriptor(int directory, const fs::path& task, const char* name) {
    struct stat link {};
    struct statx file {};
    std::array<char, PATH_MAX> path{};
    if (::fstatat(directory, name, &link, AT_SYMLINK_NOFOLLOW) != 0) return note_failed(errno);
    if ((link.st_mode & S_IWUSR) == 0) return;
    if (::statx(directory, name, AT_STATX_DONT_SYNC, STATX_TYPE, &file) != 0) return note_failed(errno);
    if (DeviceNumber{.major = file.stx_dev_major, .minor = file.stx_dev_minor} != device_) return;
    const ssize_t size = ::readlinkat(directory, name, path.data(), path.size());
    if (size < 0) return note_failed(errno);
    const auto id = mount_id_in(proc_text(task / "fdinfo" / name));
    if (!id) return;  // closed meanwhile
    const auto [known, first] = mounts_.try_emplace(*id);
    if (first) known->second = mount_with_id(mountinfo(), *id);
    const auto& mount = known->second;
    note_open(mount ? inside(*mount, {path.data(), static_cast<std::size_t>(size)}) : std::nullopt);
  }

  void note_failed(int problem) {
    if (!is_gone(problem)) note_hidden();
  }

  void note_open(const std::optional<std::string>& file) {
    if (!file) {
      found.unknown = true;
    } else if (*file != root_ && is_below(*file, root_)) {
      found.paths.emplace_back(file->substr(root_.size() + 1));
    }
  }

  // "7f00-7f10 rw-s 00000000 00:2d 42    /checkpoints/step-5/weights"
  void look_at_mappings() {
    std::ifstream maps(process_ / "maps");
    for (std::string line; std::getline(maps, line);) {
      const std::size_t rights = line.find(' ') + 1, offset = line.find(' ', rights) + 1;
      const std::size_t device = line.find(' ', offset) + 1;
      if (rights == 0 || offset == 0 || device == 0 || line[rights + 1] != 'w' || line[rights + 3] != 's') continue;
      DeviceNumber found_on;
      const char* const end = line.data() + line.size();
      const auto [colon, bad] = std::from_chars(line.data() + device, end, found_on.major, 16);
      if (bad != std::errc{} || colon == end || *colon != ':') continue;
      if (std::from_chars(colon + 1, end, found_on.minor, 16).ec != std::errc{} || found_on != device_) continue;
      const std::size_t path = line.find('/');
      if (path == std::string::npos) continue;
      const std::string_view file = std::string_view(line).substr(path);
      const auto mount = mount_above(mountinfo(), device_, file);
      note_open(mount ? inside(*mount, file) : std::nullopt);
    }
  }

  // Another user's: what it holds is not known, but whether it has the volume at all often is.
  void note_hidden() {
    if (mountinfo().empty() || mounts_device(mountinfo(), device_)) found.unknown = true;
  }

  const std::string& mountinfo() {
    if (!mountinfo_) mountinfo_ = proc_text(process_ / "mountinfo");
    return *mountinfo_;
  }

  std::string root_;  // as the file system itself calls it
  DeviceNumber device_;
  Mappings mappings_;
  fs::path process_;
  std::optional<std::string> mountinfo_;
  std::map<std::int64_t, std::optional<Mount>> mounts_;  // there, by their ids
};

}  // namespace

std::vector<pid_t> processes_in(const fs::path& proc) {
  std::vector<pid_t> processes;
  const Directory stream(::opendir(proc.c_str()));
  while (const dirent* entry = stream ? ::readdir(stream.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    pid_t process = 0;
    if (is_number(name) && std::from_chars(name.data(), name.data() + name.size(), process).ec == std::errc{})
      processes.push_back(process);
  }
  return processes;
}

std::string proc_text(const fs::path& file) {
  return runtime::file_text(file).value_or("");
}

bool OpenFiles::hold(const fs::path& path) const {
  return std::ranges::any_of(paths, [&](const fs::path& each) { return is_below(each.native(), path.native()); });
}

OpenFiles files_open_for_writing(const fs::path& root, const Mount& mount, const fs::path& proc, Mappings mappings) {
  auto place = inside(mount, root.native());
  if (!place) return {.paths = {}, .unknown = true};
  Search search(*std::move(place), mount.device, mappings);
  int seen = 0;
  runtime::tell_each_of_growing<pid_t>([&] { return processes_in(proc); },
                                       [&](pid_t process) {
                                         ++seen;
                                         search.look_at(proc / std::to_string(process));
                                       });
  search.found.unknown = search.found.unknown || seen == 0;  // an empty /proc, or none, hides everybody
  return std::move(search.found);
}

}  // namespace reprise::agent
