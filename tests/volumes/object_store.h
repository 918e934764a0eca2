// A mount of an object store, played: a written file becomes an object only once it was uploaded, and until then it is
// in this process alone, so that killing it is a power loss. The bucket is a directory. Three kinds, as documented:
//
// mountpoint-s3: the process that opened a file uploads it by close; when the last one to close it is another process,
// and for an empty file, the upload comes a while later, and an open meanwhile waits for it. A file that is being
// written cannot be opened. No rename; no overwrite and no delete unless they are allowed.
//
// gcsfuse: close uploads; opening a file that is being written for reading uploads its present part, too early.
//
// write-back: anything goes, and a closed file is uploaded a while later without anybody knowing when.
//
// A read of an object is EIO, in every kind of mount, when the bucket has a "<name>.lost" beside it.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace reprise::volumes {

enum class Ways { Mountpoint, Gcsfuse, WriteBack };

struct Options {
  Ways ways = Ways::WriteBack;
  std::filesystem::path bucket;
  std::filesystem::path log;  // a line for each upload, and for each file that was opened too early
  bool overwrite = false, remove = false;
  std::chrono::milliseconds upload{0};  // how long one takes
};

// Paths begin with a slash. Each call returns a negative errno, or its result. From any thread.
class ObjectStore {
 public:
  explicit ObjectStore(Options options);

  int look(const std::string& path, struct stat& info);
  int list(const std::string& path, std::vector<std::string>& names);
  // `writer`: identifies a writer from here on; 0 for a reader.
  int open(const std::string& path, int flags, int process, std::uint64_t& writer);
  int read(const std::string& path, std::size_t offset, std::string& into);  // as much as `into` holds
  int write(const std::string& path, std::size_t offset, std::string_view bytes);
  int truncate(const std::string& path, std::size_t size);
  int sync(const std::string& path);
  // A descriptor of a writer is closed, maybe one of several: a shell closes one before it has written anything.
  int flush(const std::string& path, std::uint64_t writer, int process);
  // The last of them, some time after its close has returned.
  void release(const std::string& path, std::uint64_t writer);
  int rename(const std::string& from, const std::string& to);
  int remove(const std::string& path);
  int make_directory(const std::string& path);
  int remove_directory(const std::string& path);

 private:
  using Clock = std::chrono::steady_clock;
  // A file that is not an object yet.
  struct Pending {
    std::string bytes;
    std::time_t begun = 0;                   // the time of the object, too
    std::map<std::uint64_t, int> writers{};  // and the process that opened it
    bool dirty = true;                       // since the last flush
    bool flushing = false;  // a close has begun: its descriptor is gone already, and readers of the file wait
    bool closed = false;    // and on its way
    Clock::time_point due{};
  };

  [[nodiscard]] std::filesystem::path object(const std::string& path) const { return options_.bucket / path.substr(1); }
  [[nodiscard]] bool exists(const std::string& path) const;
  int open_to_read(const std::string& path, std::unique_lock<std::mutex>& lock);
  int open_to_write(const std::string& path, int flags, std::unique_lock<std::mutex>& lock);
  // Returns when no close of it is under way.
  void wait_for_flush(const std::string& path, std::unique_lock<std::mutex>& lock);
  // Returns when there is nothing more to upload of it.
  void wait(const std::string& path, std::unique_lock<std::mutex>& lock);
  void finish(Pending& file) const;
  void upload(const std::string& path);
  void upload_what_is_due();
  void note(std::string_view what, const std::string& path);

  Options options_;
  std::mutex mutex_;
  std::condition_variable uploaded_;
  std::map<std::string, Pending> pending_;
  std::uint64_t last_writer_ = 0;
  std::ofstream log_;
};

}  // namespace reprise::volumes
