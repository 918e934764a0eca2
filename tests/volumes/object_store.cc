#include "tests/volumes/object_store.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

namespace reprise::volumes {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool writes(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY;
}

}  // namespace

ObjectStore::ObjectStore(Options options) : options_(std::move(options)), log_(options_.log, std::ios::app) {
  std::thread([this] { upload_what_is_due(); }).detach();
}

bool ObjectStore::exists(const std::string& path) const {
  return fs::is_regular_file(object(path));
}

void ObjectStore::note(std::string_view what, const std::string& path) {
  log_ << what << ' ' << path << std::endl;
}

// Shows all bytes at once, as an object appears.
void ObjectStore::upload(const std::string& path) {
  const fs::path parts = options_.bucket.string() + ".part";
  std::ofstream(parts, std::ios::binary) << pending_[path].bytes;
  pending_[path].dirty = false;
  const auto begun = std::chrono::system_clock::from_time_t(pending_[path].begun);
  fs::last_write_time(parts, std::chrono::file_clock::from_sys(begun));
  fs::rename(parts, object(path));
  note("uploaded", path);
}

void ObjectStore::upload_what_is_due() {
  std::unique_lock lock(mutex_);
  for (;;) {
    uploaded_.wait_for(lock, std::chrono::milliseconds(5));
    for (auto each = pending_.begin(); each != pending_.end();) {
      const bool due = each->second.closed && Clock::now() >= each->second.due;
      if (due) {
        upload(each->first);
        uploaded_.notify_all();
      }
      each = due ? pending_.erase(each) : std::next(each);
    }
  }
}

int ObjectStore::look(const std::string& path, struct stat& info) {
  std::unique_lock lock(mutex_);
  wait_for_flush(path, lock);
  if (const auto found = pending_.find(path); found != pending_.end()) {
    info = {};
    info.st_mode = S_IFREG | 0644;
    info.st_nlink = 1;
    info.st_mtim.tv_sec = found->second.begun;
    info.st_size = static_cast<off_t>(found->second.bytes.size());
    return 0;
  }
  return ::lstat(object(path).c_str(), &info) == 0 ? 0 : -errno;
}

int ObjectStore::list(const std::string& path, std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(object(path), problem)) names.push_back(entry.path().filename());
  if (problem) return -problem.value();
  const std::string directory = path == "/" ? path : path + "/";
  for (const auto& [key, file] : pending_) {
    if (!key.starts_with(directory) || key.find('/', directory.size()) != std::string::npos) continue;
    names.push_back(key.substr(directory.size()));
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return 0;
}

int ObjectStore::open(const std::string& path, int flags, int process, std::uint64_t& writer) {
  std::unique_lock lock(mutex_);
  if (!writes(flags)) return open_to_read(path, lock);
  if (const int refused = open_to_write(path, flags, lock); refused != 0) return refused;
  writer = ++last_writer_;
  pending_[path].writers[writer] = process;
  return 0;
}

int ObjectStore::open_to_read(const std::string& path, std::unique_lock<std::mutex>& lock) {
  wait_for_flush(path, lock);
  const auto found = pending_.find(path);
  if (found == pending_.end()) return exists(path) ? 0 : -ENOENT;
  switch (options_.ways) {
    case Ways::Mountpoint:
      if (!found->second.closed) {
        note("refused", path);
        return -EPERM;
      }
      wait(path, lock);
      return 0;
    case Ways::Gcsfuse:
      if (found->second.dirty) {
        note("finished-too-early", path);
        upload(path);
      }
      return 0;
    case Ways::WriteBack:
      return 0;
  }
  return -EIO;
}

void ObjectStore::wait_for_flush(const std::string& path, std::unique_lock<std::mutex>& lock) {
  uploaded_.wait(lock, [&] {
    const auto found = pending_.find(path);
    return found == pending_.end() || !found->second.flushing;
  });
}

void ObjectStore::wait(const std::string& path, std::unique_lock<std::mutex>& lock) {
  uploaded_.wait(lock, [&] { return !pending_.contains(path); });
}

int ObjectStore::open_to_write(const std::string& path, int flags, std::unique_lock<std::mutex>& lock) {
  if (const auto before = pending_.find(path); options_.ways == Ways::Mountpoint && before != pending_.end()) {
    if (!before->second.closed) return -EPERM;
    wait(path, lock);
  }
  const auto found = pending_.find(path);
  const bool there = found != pending_.end() || exists(path);
  if (!there && (flags & O_CREAT) == 0) return -ENOENT;
  if (there && (flags & O_EXCL) != 0) return -EEXIST;
  if (options_.ways == Ways::Mountpoint && there) {
    if (!options_.overwrite || (flags & O_TRUNC) == 0) return -EPERM;
  }
  Pending& file = pending_[path];
  if (found == pending_.end() && there && (flags & O_TRUNC) == 0) file.bytes = bytes_of(object(path));
  if ((flags & O_TRUNC) != 0) file.bytes.clear();
  file.begun = std::time(nullptr);
  file.dirty = true;
  file.closed = false;
  return 0;
}

int ObjectStore::read(const std::string& path, std::size_t offset, std::string& into) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(path);
  if (found == pending_.end() && fs::exists(object(path) += ".lost")) return -EIO;
  const std::string bytes = found != pending_.end() ? found->second.bytes : bytes_of(object(path));
  into = bytes.substr(std::min(offset, bytes.size()), into.size());
  return static_cast<int>(into.size());
}

int ObjectStore::write(const std::string& path, std::size_t offset, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(path);
  if (found == pending_.end() || found->second.closed) return -EPERM;  // fsync had finished it
  std::string& text = found->second.bytes;
  if (options_.ways == Ways::Mountpoint && offset != text.size()) return -EINVAL;
  text.resize(std::max(text.size(), offset + bytes.size()));
  text.replace(offset, bytes.size(), bytes);
  found->second.dirty = true;
  return static_cast<int>(bytes.size());
}

int ObjectStore::truncate(const std::string& path, std::size_t size) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(path);
  if (options_.ways == Ways::Mountpoint || found == pending_.end()) return -EPERM;
  found->second.bytes.resize(size);
  return 0;
}

int ObjectStore::sync(const std::string& path) {
  std::unique_lock lock(mutex_);
  const auto found = pending_.find(path);
  if (options_.ways != Ways::Mountpoint || found == pending_.end()) return 0;
  finish(found->second);
  found->second.due = Clock::now();
  wait(path, lock);
  return 0;
}

int ObjectStore::flush(const std::string& path, std::uint64_t writer, int process) {
  std::unique_lock lock(mutex_);
  const auto found = pending_.find(path);
  if (found == pending_.end()) return 0;
  const auto opened = found->second.writers.find(writer);
  // closed by a process that inherited it
  if (opened == found->second.writers.end() || opened->second != process) return 0;
  switch (options_.ways) {
    case Ways::Mountpoint:
      if (found->second.bytes.empty()) return 0;
      finish(found->second);
      wait(path, lock);
      return 0;
    case Ways::Gcsfuse:
      found->second.flushing = true;
      lock.unlock();
      std::this_thread::sleep_for(options_.upload);
      lock.lock();
      if (const auto still = pending_.find(path); still != pending_.end()) {
        upload(path);
        still->second.flushing = false;
      }
      uploaded_.notify_all();
      return 0;
    case Ways::WriteBack:
      return 0;
  }
  return -EIO;
}

void ObjectStore::release(const std::string& path, std::uint64_t writer) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(path);
  if (found == pending_.end() || found->second.writers.erase(writer) == 0 || !found->second.writers.empty()) return;
  if (options_.ways == Ways::Gcsfuse) {
    if (found->second.dirty) upload(path);
    pending_.erase(found);
  } else {
    finish(found->second);
  }
}

void ObjectStore::finish(Pending& file) const {
  if (!file.closed) file.due = Clock::now() + options_.upload;
  file.closed = true;
}

int ObjectStore::rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  if (options_.ways == Ways::Mountpoint) return -EPERM;
  if (auto found = pending_.extract(from)) {
    found.key() = to;
    pending_.insert(std::move(found));
    return 0;
  }
  if (options_.ways == Ways::Gcsfuse && fs::is_directory(object(from))) return -ENOSYS;
  std::error_code problem;
  fs::rename(object(from), object(to), problem);
  return -problem.value();
}

int ObjectStore::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (options_.ways == Ways::Mountpoint && !options_.remove) return -EPERM;
  pending_.erase(path);
  std::error_code problem;
  fs::remove(object(path), problem);
  return -problem.value();
}

int ObjectStore::make_directory(const std::string& path) {
  std::error_code problem;
  if (!fs::create_directory(object(path), problem) && !problem) return -EEXIST;
  return -problem.value();
}

int ObjectStore::remove_directory(const std::string& path) {
  std::error_code problem;
  fs::remove(object(path), problem);
  return -problem.value();
}

}  // namespace reprise::volumes
