// The room that a checkpoint volume has for what its job saves: a part of live reports, and of records of an end for
// want of room.
#pragma once

#include <cstdint>
#include <optional>

namespace reprise::protocol {

struct ReportedRoom {
  std::int64_t free_bytes = 0;
  std::optional<std::int64_t> save_bytes{};    // size of the newest complete generation
  std::optional<std::int64_t> needed_bytes{};  // with less than so much free it will be full soon
  std::int64_t generations = 0;                // complete ones of this job that lie there
  // The spec.checkpoint.keep that would help, and what it would delete. Empty: none would, or that was not looked at.
  std::optional<std::int32_t> keep{};
  std::int64_t keep_deletes = 0;      // generations
  std::int64_t keep_frees_bytes = 0;  // with them
  // Sizes of .reprise/torn, .reprise/quarantine and .reprise/unproven, where room is short.
  std::int64_t torn_bytes = 0, quarantine_bytes = 0, unproven_bytes = 0;
  static void fields(auto& self, auto& field) {
    field("freeBytes", self.free_bytes);
    field("saveBytes", self.save_bytes);
    field("neededBytes", self.needed_bytes);
    field("generations", self.generations);
    field("keep", self.keep);
    field("keepDeletes", self.keep_deletes);
    field("keepFreesBytes", self.keep_frees_bytes);
    field("tornBytes", self.torn_bytes);
    field("quarantineBytes", self.quarantine_bytes);
    field("unprovenBytes", self.unproven_bytes);
  }
  bool operator==(const ReportedRoom&) const = default;
};

}  // namespace reprise::protocol
