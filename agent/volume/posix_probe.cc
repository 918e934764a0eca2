// Tries what a volume allows with a file, on a small one of the agent's own.
#include <fcntl.h>

#include <cerrno>
#include <string>

#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

using runtime::ErrorClass;

constexpr std::size_t kMostLeft = 8;  // small files that cannot be deleted
constexpr std::string_view kFirst = "first", kSecond = "second";

// Empty where the volume failed: that says nothing of what it allows.
std::optional<bool> allowed(int problem) {
  switch (problem) {
    case 0:
      return true;
    case EPERM:
    case EACCES:
    case ENOSYS:
    case EOPNOTSUPP:
    case EINVAL:
    case EROFS:
      return false;
    default:
      return std::nullopt;
  }
}

}  // namespace

VolumeAbilities PosixFiles::probe(const Path& directory, const std::string& name) const {
  if (!make_directories(directory)) return {};
  const auto left = remove_left_probes(directory);
  if (!left) return {};
  VolumeAbilities can;
  Path file = directory / name;
  if (left->size() >= kMostLeft) {
    file = directory / left->front();
  } else if (!fill(file, O_WRONLY | O_CREAT | O_EXCL, kFirst, Sync::No)) {
    return {};
  }
  can.overwrite = overwrites(file);
  const Path renamed = directory / (name + "-renamed");
  can.rename = allowed(calls_->rename(file.c_str(), renamed.c_str()));
  if (can.rename == true) file = renamed;
  can.remove = allowed(calls_->unlink(file.c_str()));
  if (can.remove == true) static_cast<void>(remove_directory(directory));
  return can;
}

// Removes probes of earlier attempts that were ended in the midst of it, or that could not delete theirs. Empty: the
// volume failed.
std::optional<std::vector<std::string>> PosixFiles::remove_left_probes(const Path& directory) const {
  auto names = list(directory);
  if (!names) return std::nullopt;
  std::vector<std::string> left;
  for (const std::string& each : *names) {
    const int problem = left.empty() ? calls_->unlink((directory / each).c_str()) : EPERM;  // one refusal is enough
    if (problem == 0 || problem == ENOENT) continue;
    if (!allowed(problem)) return std::nullopt;
    left.push_back(each);
  }
  return left;
}

// True if the text read then is the one written last: a mount might take the write and keep the old text.
std::optional<bool> PosixFiles::overwrites(const Path& file) const {
  const auto written = fill(file, O_WRONLY | O_TRUNC, kSecond, Sync::No);
  if (!written && written.error().error_class == ErrorClass::Forbidden) return false;
  if (!written) return std::nullopt;
  const auto text = read(file);
  if (!text || !*text) return std::nullopt;
  return **text == kSecond;
}

}  // namespace reprise::agent
