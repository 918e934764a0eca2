// Finds the files of a volume that are held open for writing, as far as it can be seen: by the processes of this PID
// namespace.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "agent/volume/mount_kind.h"

namespace reprise::agent {

// Also looks for files that are mapped into memory to be written, which may have been closed. Takes longer.
enum class Mappings { LookAt, Leave };

struct OpenFiles {
  std::vector<std::filesystem::path> paths;  // below the root
  // A process that has the volume could not be looked at, or holds a file of it nobody can say which.
  bool unknown = false;

  // `path`, below the root too, or anything in it.
  [[nodiscard]] bool hold(const std::filesystem::path& path) const;
};

// `root`: on that mount, without links. `proc`: "/proc". Never asks the file system itself. Finds them under whatever
// path a process has the volume.
[[nodiscard]] OpenFiles files_open_for_writing(const std::filesystem::path& root, const Mount& mount,
                                               const std::filesystem::path& proc, Mappings mappings);

// The processes that "/proc" shows now; none where it cannot be read.
[[nodiscard]] std::vector<pid_t> processes_in(const std::filesystem::path& proc);

// A file below /proc; empty where it cannot be read.
[[nodiscard]] std::string proc_text(const std::filesystem::path& file);

}  // namespace reprise::agent
