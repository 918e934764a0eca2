// $REPRISE_PROGRESS_FILE: a file of a directory private to this pod, or what the user has set the variable to. The
// trainer writes it, or does not.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace reprise::agent {

class ProgressFile {
 public:
  // `users`: what the variable is set to; empty: the first of `places` that can be written to.
  ProgressFile(std::string users, const std::vector<std::filesystem::path>& places);
  ProgressFile(const ProgressFile&) = delete;
  ProgressFile& operator=(const ProgressFile&) = delete;
  ~ProgressFile();

  // Empty: there is no place for it.
  [[nodiscard]] const std::string& path() const { return path_; }
  // What is in it, if it has changed since the last call, or since this object was made; of a longer one its beginning.
  [[nodiscard]] std::optional<std::string> read_if_changed();

 private:
  struct Stamp {
    std::int64_t seconds = 0, nanoseconds = 0, size = 0;
    ino_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  [[nodiscard]] std::optional<Stamp> look() const;

  std::string directory_;  // empty: not made here
  std::string path_;
  std::optional<Stamp> known_;
};

}  // namespace reprise::agent
