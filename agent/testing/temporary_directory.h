// A directory for one test, gone after it; and small helpers to look into files.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "agent/volume/open_files.h"

namespace reprise::agent::testing_support {

// Its last part is always the same: letters and digits at random are the name of a checkpoint now and then
// ("…-xBA4qW").
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "reprise-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return;
    around_ = name;
    path_ = around_ / "volume";
    std::filesystem::create_directory(path_);
    // A user whom a test lets into the one comes through the other.
    using std::filesystem::perms;
    std::filesystem::permissions(path_, perms::owner_all);
    std::filesystem::permissions(around_, perms::owner_all | perms::group_exec | perms::others_exec);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(around_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path around_, path_;
};

[[nodiscard]] inline std::string text_in(const std::filesystem::path& file) {
  return proc_text(file);
}

inline void put_text(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// Makes a checkpoint directory in the marker format.
inline void put_checkpoint(const std::filesystem::path& volume, const std::string& name, bool complete) {
  put_text(volume / name / "state.bin", "weights");
  if (complete) put_text(volume / name / "_COMPLETE", "");
}

}  // namespace reprise::agent::testing_support
