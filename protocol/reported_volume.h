// What an agent has found out about the checkpoint volume: a part of records and of live reports. What was not found
// out is left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reprise::protocol {

// What shows that a checkpoint has reached the storage. In `durability`, by these names.
inline constexpr std::string_view kDurableBySync = "Synced";        // syncfs has returned
inline constexpr std::string_view kDurableByReopen = "Reopened";    // its files opened again after they were closed
inline constexpr std::string_view kDurableByClose = "Closed";       // no process holds one of them open any more
inline constexpr std::string_view kNeverDurable = "StructureOnly";  // nothing does on this file system

struct ReportedVolume {
  std::string type;  // as in /proc/self/mountinfo: "ext4", "nfs4", "fuse.gcsfuse"
  std::optional<bool> rename, overwrite, remove;
  std::string durability;
  static void fields(auto& self, auto& field) {
    field("type", self.type);
    field("rename", self.rename);
    field("overwrite", self.overwrite);
    field("delete", self.remove);
    field("durability", self.durability);
  }
  bool operator==(const ReportedVolume&) const = default;
};

}  // namespace reprise::protocol
