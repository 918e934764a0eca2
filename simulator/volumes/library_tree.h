// The part of a disk's tree that libraries and others have filled: checkpoints of several files in any folders, and the
// files beside them. Paths are relative to the root of the volume.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/volumes/disk_tree.h"

namespace reprise::simulator {

[[nodiscard]] std::optional<agent::FileInfo> look_among_libraries(const Disk& disk, const DiskView& view,
                                                                  std::string_view path);
[[nodiscard]] std::optional<std::string> read_among_libraries(const Disk& disk, std::string_view path);
// Returns the names in no order; some may come twice. "" is the root.
[[nodiscard]] std::vector<std::string> list_among_libraries(const Disk& disk, std::string_view path);

// Deletes a file or a directory with all in it: checkpoints, parts of them, data. False: nothing was there.
bool delete_among_libraries(Disk& disk, const DiskView& view, std::string_view path);
// Moves it to where agents put what they set aside. Other files are gone then: nobody looks for them there.
bool set_aside_among_libraries(Disk& disk, const DiskView& view, std::string_view path, DiskAside aside);

}  // namespace reprise::simulator
