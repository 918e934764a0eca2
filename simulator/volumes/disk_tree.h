// A disk as a tree of files, as the agents see it: their writes become the state that the invariants look at, and they
// read the changes of trainers and faults. Paths are relative to the root of the volume. It takes no time here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/run/environment.h"
#include "agent/volume/volume_files.h"
#include "simulator/volumes/disk.h"

namespace reprise::simulator {

// The view of an agent of that environment now; `start` is the wall clock's time at zero of the event loop's.
struct DiskView {
  const agent::Environment& env;
  runtime::Duration now{0};
  runtime::WallTime start{};
};

[[nodiscard]] std::optional<std::string> read_file(const Disk& disk, const DiskView& view, std::string_view path);
[[nodiscard]] std::optional<agent::FileInfo> look_at(const Disk& disk, const DiskView& view, std::string_view path);
[[nodiscard]] std::vector<std::string> list_directory(const Disk& disk, std::string_view path);

// Says which waiters hear of a change.
enum class Notify { Nobody, All };
Notify write_file(Disk& disk, const DiskView& view, std::string_view path, std::string_view text);
Notify remove_file(Disk& disk, const DiskView& view, std::string_view path);
Notify remove_tree(Disk& disk, const DiskView& view, std::string_view path);
// False: the volume moves nothing, or there is nothing to move.
[[nodiscard]] bool move_directory(Disk& disk, const DiskView& view, std::string_view from, std::string_view to);

}  // namespace reprise::simulator
