// An agent's findings about the checkpoint volume: a part of records and of live reports. Members that were not found
// out are left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reprise::protocol {

// The proof that a checkpoint has reached the storage. In `durability`, by these names.
inline constexpr std::string_view kDurableBySync = "Synced";        // syncfs has returned
inline constexpr std::string_view kDurableByReopen = "Reopened";    // its files opened again after they were closed
inline constexpr std::string_view kDurableByClose = "Closed";       // no process holds one of them open any more
inline constexpr std::string_view kNeverDurable = "StructureOnly";  // there is none on this file system

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
