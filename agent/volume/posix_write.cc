// How a small text comes onto the volume: whole, or not at all.
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include "agent/volume/file_descriptor.h"
#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::string_view kTemporary = ".tmp";
constexpr std::int64_t kBlock = 4096;

bool is_part_of_uid(char each) {
  return (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || each == '-';
}

std::string in_names(std::string writer) {
  constexpr std::size_t longest = 64;
  std::erase_if(writer, [](char each) { return !is_part_of_uid(each); });
  return writer.substr(0, longest);
}

std::string any_writer() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, 8> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return std::to_string(::getpid());
  std::string writer;
  for (const unsigned char each : bytes) {
    writer += digits[each >> 4U];
    writer += digits[each & 15U];
  }
  return writer;
}

// A mount that never does it, whatever room there is.
bool is_refusal(int problem) {
  constexpr std::array refusals = {EPERM, EACCES, ENOSYS, EOPNOTSUPP, EINVAL, EROFS, EXDEV};
  return std::ranges::find(refusals, problem) != refusals.end();
}

// The file system has no such call; it says when blocks are wanted whether there are any.
bool says_nothing_of_room(int problem) {
  return problem == EOPNOTSUPP || problem == ENOSYS || problem == EINVAL;
}

std::optional<std::string> content_of(const std::filesystem::path& path) {
  constexpr std::size_t longest = std::size_t{64} << 10U;
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return std::nullopt;
  std::string text(longest, '\0');
  const ssize_t size = ::pread(file.get(), text.data(), text.size(), 0);
  if (size < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(size));
  return text;
}

std::optional<std::int64_t> size_of_file(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return info.st_size;
}

}  // namespace

bool is_temporary(std::string_view name) {
  if (!name.starts_with('.')) return false;
  if (name.ends_with(kTemporary)) return true;
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return name.find('.', 1) != std::string_view::npos && !last.empty() &&
         last.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_temporary_of(std::string_view name, const std::string& writer) {
  return is_temporary(name) && name.ends_with("." + in_names(writer) + std::string(kTemporary));
}

PosixFiles::PosixFiles(std::shared_ptr<VolumeCalls> calls, Path root, std::string writer)
    : calls_(std::move(calls)), root_(std::move(root)), writer_(in_names(std::move(writer))) {
  if (writer_.empty()) writer_ = any_writer();
}

PosixFiles::Path PosixFiles::temporary_of(const Path& path) const {
  constexpr std::size_t longest = 128;  // a name has 255 bytes at most
  std::string name = ".";
  name += path.filename().native().substr(0, longest);
  name += ".";
  name += writer_;
  name += kTemporary;
  return path.parent_path() / name;
}

Result<void> PosixFiles::sync_directory(const Path& directory) {
  const FileDescriptor file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.valid()) return std::unexpected(system_error("open " + directory.string(), errno));
  if (::fsync(file.get()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS) {
    return std::unexpected(system_error("fsync " + directory.string(), errno));
  }
  return {};
}

Result<void> PosixFiles::make_directories(const Path& directory) const {
  struct stat info {};
  if (::stat(directory.c_str(), &info) == 0) return {};
  if (directory == root_ || !directory.has_relative_path()) {
    return std::unexpected(system_error("read " + directory.string(), errno));
  }
  if (auto made = make_directories(directory.parent_path()); !made) return made;
  return make_one_directory(directory);
}

// A server that is full may say that the directory is there.
Result<void> PosixFiles::make_one_directory(const Path& directory) const {
  const int problem = calls_->make_directory(directory.c_str());
  if (problem == 0) return {};
  const std::string doing = "make directory " + directory.string();
  if (problem != EEXIST) return std::unexpected(system_error(doing, problem));
  struct stat info {};
  if (::stat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
  const auto free = calls_->free_space(root_.c_str());
  if (free && (free->bytes < kBlock || free->files == 0)) return std::unexpected(system_error(doing, ENOSPC));
  return runtime::fail(runtime::ErrorClass::Unavailable, doing + ": the volume says that it exists, and it does not");
}

Result<void> PosixFiles::fill(const Path& path, int flags, std::string_view text, Sync sync, Space space) const {
  const int opened = calls_->open_to_write(path.c_str(), flags | O_CLOEXEC);
  if (opened < 0) return std::unexpected(system_error("open " + path.string(), -opened));
  auto filled = fill_open(opened, path, text, sync, space);
  const int problem = calls_->close(opened);
  if (filled && problem != 0) return std::unexpected(system_error("close " + path.string(), problem));
  return filled;
}

Result<void> PosixFiles::fill_open(int fd, const Path& path, std::string_view text, Sync sync, Space space) const {
  const auto size = static_cast<std::int64_t>(text.size());
  if (space == Space::Kept) {
    calls_->write_where_it_lies(fd);
    const int problem = calls_->allocate(fd, std::max(size, kBlock));
    if (problem != 0 && !says_nothing_of_room(problem))
      return std::unexpected(system_error("allocate " + path.string(), problem));
  }
  while (!text.empty()) {
    const std::int64_t written = calls_->write(fd, text);
    if (written == -EINTR) continue;
    if (written <= 0)
      return std::unexpected(
          system_error("write " + path.string(), written == 0 ? ENOSPC : static_cast<int>(-written)));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  struct stat info {};
  if (::fstat(fd, &info) != 0) return std::unexpected(system_error("read " + path.string(), errno));
  if (info.st_size > size && ::ftruncate(fd, size) != 0) {
    return std::unexpected(system_error("truncate " + path.string(), errno));
  }
  const int problem = sync == Sync::Yes ? calls_->fsync(fd) : 0;
  if (problem != 0) return std::unexpected(system_error("fsync " + path.string(), problem));
  return {};
}

Result<void> PosixFiles::write(const Path& path, std::string_view text, Sync sync) const {
  calls_->begin();
  if (auto made = make_directories(path.parent_path()); !made) return made;
  if (const auto last = last_version(path)) return write_version(path, *last, text, sync);
  if (auto replaced = replace(path, text, sync, Space::AsItComes); !replaced) return replaced;
  return sync == Sync::Yes ? sync_directory(path.parent_path()) : Result<void>{};
}

Result<void> PosixFiles::replace(const Path& path, std::string_view text, Sync sync, Space space) const {
  const Path temporary = temporary_of(path);
  const auto prepared = fill(temporary, O_WRONLY | O_CREAT | O_TRUNC, text, sync, space);
  const int problem = prepared ? calls_->rename(temporary.c_str(), path.c_str()) : 0;
  if (prepared && problem == 0) return {};
  ::unlink(temporary.c_str());
  if (prepared && is_refusal(problem)) return write_in_place(path, text, sync);
  // A share may have done it and say, the second time that it was asked, that there was nothing to do it with.
  if (prepared && problem == ENOENT && content_of(path) == text) return {};
  auto failed = prepared ? std::unexpected(system_error("rename " + temporary.string(), problem)) : prepared;
  return overwrite(path, text, sync) ? Result<void>() : failed;
}

// Object stores want the old text cut off.
Result<void> PosixFiles::write_in_place(const Path& path, std::string_view text, Sync sync) const {
  const auto known = kind();
  if (!known || known->fuse) return fill(path, O_WRONLY | O_CREAT | O_TRUNC, text, sync);
  if (size_of_file(path)) return overwrite(path, text, sync);
  auto written = fill(path, O_WRONLY | O_CREAT | O_EXCL, text, sync);
  if (!written && written.error().error_class != runtime::ErrorClass::AlreadyExists) ::unlink(path.c_str());
  return written;
}

// A volume that is full can still take a text where one lies that is as long: nothing is cut off before.
Result<void> PosixFiles::overwrite(const Path& path, std::string_view text, Sync sync) const {
  const auto size = size_of_file(path);
  const auto before = size ? content_of(path) : std::nullopt;
  if (!before || static_cast<std::int64_t>(before->size()) != *size)
    return std::unexpected(system_error("read " + path.string(), ENOENT));
  const int opened = calls_->open_to_write(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (opened < 0) return std::unexpected(system_error("open " + path.string(), -opened));
  const int no_room =
      text.size() > before->size() ? calls_->allocate(opened, static_cast<std::int64_t>(text.size())) : 0;
  auto written = no_room != 0 && !says_nothing_of_room(no_room)
                     ? std::unexpected(system_error("allocate " + path.string(), no_room))
                     : fill_open(opened, path, text, sync, Space::AsItComes);
  const int problem = calls_->close(opened);
  if (written && problem != 0) written = std::unexpected(system_error("close " + path.string(), problem));
  if (!written && content_of(path) != *before) static_cast<void>(fill(path, O_WRONLY, *before, sync));
  return written;
}

Result<void> PosixFiles::write_into(const Path& room, const Path& path, std::string_view text) const {
  calls_->begin();
  if (size_of_file(room).value_or(0) < static_cast<std::int64_t>(text.size()))
    return std::unexpected(system_error("write " + room.string(), ENOSPC));
  if (auto written = fill(room, O_WRONLY, text, Sync::Yes); !written) return written;
  if (const int problem = calls_->rename(room.c_str(), path.c_str()); problem != 0)
    return std::unexpected(system_error("rename " + room.string(), problem));
  return sync_directory(path.parent_path());
}

Result<void> PosixFiles::touch(const Path& file) const {
  calls_->begin();
  const int problem = calls_->touch(file.c_str());
  if (problem != 0) return std::unexpected(system_error("set the time of " + file.string(), problem));
  return {};
}

bool PosixFiles::rewrites_in_place() const {
  const auto known = kind();
  // There each file that is replaced fills a trash.
  return !known || !known->object_store || known->type == "fuse.juicefs" || known->type == "fuse.JuiceFS";
}

Result<void> PosixFiles::rewrite(const Path& path, std::string_view text) const {
  if (!rewrites_in_place()) return write(path, text, Sync::No);
  calls_->begin();
  if (size_of_file(path) == static_cast<std::int64_t>(text.size()))
    if (fill(path, O_WRONLY, text, Sync::No)) return {};
  if (auto made = make_directories(path.parent_path()); !made) return made;
  return replace(path, text, Sync::No, Space::Kept);
}

}  // namespace reprise::agent
