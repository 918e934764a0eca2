// $REPRISE_PROGRESS_FILE, which the trainer writes, or does not.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace reprise::agent {

class ProgressFile {
 public:
  // Empty: there is none.
  explicit ProgressFile(std::string path);

  [[nodiscard]] const std::string& path() const { return path_; }
  // The file's text, if it has changed since the last call, or since this object was made; of a longer one its
  // beginning.
  [[nodiscard]] std::optional<std::string> read_if_changed();

 private:
  struct Stamp {
    std::int64_t seconds = 0, nanoseconds = 0, size = 0;
    ino_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  [[nodiscard]] std::optional<Stamp> look() const;

  std::string path_;
  std::optional<Stamp> known_;
};

}  // namespace reprise::agent
