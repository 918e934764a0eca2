// Checkpoints that nothing is to name or to lead to any more after a restore, and which checkpoint is to be named
// instead.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/aside/put_aside_before.h"
#include "agent/core/run/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

struct Aside {
  std::vector<std::string> names;  // names that do not count any more, moved or not
  Checkpoints left;                // checkpoints that count, newest first
  Checkpoints found;               // all: links within one of them are its own
  std::int32_t attempt = 0;        // attempt that restores
};

struct Unfit {
  std::string name;  // name of the checkpoint, or of the entry that leads to it
  std::string why;
};
inline constexpr const char* kUnfitStays = "which does not count";  // and is where it was
inline constexpr const char* kUnfitGone = "which is not there";

class UnfitCheckpoints {
 public:
  UnfitCheckpoints(const Volume& volume, const Aside& aside, const PutAsideBefore& before);

  // The one to which a path below the root leads, or into which.
  [[nodiscard]] std::optional<Unfit> at(const std::string& path) const;
  // All unfit checkpoints of this restore and of those before it, but for those that are there again.
  [[nodiscard]] const std::map<std::string, std::string>& all() const { return all_; }
  [[nodiscard]] bool holds(const std::string& name) const { return now_.contains(name); }
  // A link that was removed.
  void add(const std::string& link);

  // True if the path is there, or cannot be looked at.
  [[nodiscard]] bool is_there(const std::string& path) const;
  // True if checkpoints lie or lay there: an empty `latest` elsewhere may mean anything.
  [[nodiscard]] bool counts_in(std::string_view folder) const;
  // The newest complete one there that a tracker file of that name can name, of a link any; one that is named as `like`
  // before all others.
  [[nodiscard]] const Checkpoint* newest_in(std::string_view folder, std::string_view tracker = {},
                                            std::string_view like = {}) const;
  [[nodiscard]] const Checkpoints& left() const { return aside_.left; }
  [[nodiscard]] const Checkpoints& found() const { return aside_.found; }
  [[nodiscard]] const Volume& volume() const { return volume_; }

 private:
  const Volume& volume_;
  const Aside& aside_;
  const PutAsideBefore& before_;
  std::map<std::string, std::string> now_, all_;  // and why
};

// The path below the root; empty: it leads out of the volume.
[[nodiscard]] std::optional<std::string> path_below(const std::filesystem::path& root,
                                                    const std::filesystem::path& path);

}  // namespace reprise::agent
