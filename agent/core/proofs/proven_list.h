// Lists the checkpoints of a volume that have been shown to be on its disk, in .reprise/proven: written by the agent
// that keeps the volume after each proof and before each trainer, whole and durable. The names, sizes and times of
// files are held as one number for each checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/checkpoint.h"
#include "agent/volume/volume_files.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// The shape of a checkpoint: its files, without their bytes.
struct CheckpointShape {
  std::uint64_t files = 0, bytes = 0;
  std::uint64_t digest = 0;    // digest of all paths, sizes and times
  runtime::WallTime newest{};  // newest of these times
  bool operator==(const CheckpointShape&) const = default;
};
[[nodiscard]] CheckpointShape shape_of(const std::vector<FileBelow>& files);
// True if all of the shape is among the files as it was: files that were added later take nothing away.
[[nodiscard]] bool are_still_there(const CheckpointShape& shape, std::vector<FileBelow> files);
// Checkpoints with more files have no shape: name and time of completion tell alone.
inline constexpr std::size_t kMostShaped = 65'536;

struct ProvenCheckpoint {
  std::string name;
  runtime::WallTime completed{};
  std::optional<CheckpointShape> shape{};
  bool operator==(const ProvenCheckpoint&) const = default;
};

struct ProvenList {
  // The last attempt whose trainers were started on this volume, and which of its ranks write here. Whether an agent
  // saw each of them end their records say.
  std::string job_uid{};
  std::int32_t attempt = 0;
  std::int32_t first_rank = 0, ranks = 1;
  std::vector<ProvenCheckpoint> checkpoints{};  // the last proven last
  // An unlisted checkpoint that was completed until then was proven, and there was no room for it in the list.
  std::optional<runtime::WallTime> cut_before{};
  bool operator==(const ProvenList&) const = default;
};

// Encodes at most VolumeFiles::kMostInOneList bytes, in steps of a block: a text that is written over the text before
// takes no room as a rule.
[[nodiscard]] std::string encode_proven(ProvenList list);
[[nodiscard]] std::optional<ProvenList> decode_proven(std::string_view text);

[[nodiscard]] const ProvenCheckpoint* find_proven(const ProvenList& list, const Checkpoint& checkpoint);
// True by the checkpoint's name and the time of its completion.
[[nodiscard]] bool lists(const ProvenList& list, const Checkpoint& checkpoint);

}  // namespace reprise::agent
