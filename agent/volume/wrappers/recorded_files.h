// Files that remember what somebody has asked of them and was told, so that it can be asked again at one go: whoever is
// told the same needs to conclude nothing anew. Only names and what look() says can be asked again; after anything else
// (a read, a write, a sync) nothing is remembered.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/volume/wrappers/forwarded_files.h"

namespace reprise::agent {

// By paths below the root; "" is the root.
struct Answers {
  struct Looks {
    std::vector<std::string> paths{};  // sorted
    std::vector<std::optional<FileInfo>> infos{};
    bool operator==(const Looks&) const = default;
  };
  Looks followed{}, stayed{};  // by what was to be done with links
  // Of directories: digests of what was listed. The names alone where nothing else was.
  std::map<std::string, std::size_t> names{}, kinds{}, infos{};
  bool operator==(const Answers&) const = default;
};

class RecordedFiles final : public ForwardedFiles {
 public:
  // `files` outlives it.
  RecordedFiles(const VolumeFiles& files, Path root) : ForwardedFiles(files), root_(std::move(root)) {}

  // From now on what this thread asks.
  void begin() const;
  // Nothing: it cannot be asked again, or the same question had two answers.
  [[nodiscard]] std::optional<Answers> end() const;
  // Whether all of it is answered so now. Remembers nothing.
  [[nodiscard]] bool are_the_same(const Answers& answers) const;

  [[nodiscard]] runtime::Result<void> read_all(
      const std::vector<Path>& paths,
      const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const override;
  [[nodiscard]] runtime::Result<std::optional<FileInfo>> look(const Path& path, Links links) const override;
  [[nodiscard]] runtime::Result<std::vector<std::string>> list(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::vector<DirectoryEntry>> list_entries(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::vector<EntryInfo>> list_infos(const Path& directory,
                                                                   std::size_t most) const override;

 private:
  struct Recording {
    std::thread::id by;
    std::map<std::string, std::optional<FileInfo>> followed{}, stayed{};
    std::map<std::string, std::size_t> names{}, kinds{}, infos{};
    bool may_be_asked_again = true;
  };
  // The recording of this thread; nothing: there is none. With the lock held.
  [[nodiscard]] Recording* own() const;
  // What is asked can be answered otherwise the next time, or does something.
  void give_up() const;
  void before_forwarding() const override { give_up(); }
  // Nothing: it lies elsewhere.
  [[nodiscard]] std::optional<std::string> below_root(const Path& path) const;
  template <class Answer>
  void note(std::map<std::string, Answer> Recording::*where, const Path& path, const Answer& answer) const;

  Path root_;
  mutable std::mutex mutex_;  // never held while the volume is asked
  mutable std::optional<Recording> recording_;
};

}  // namespace reprise::agent
