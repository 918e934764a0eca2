// The last saves that agents have seen on the volume, also those that are gone since: one save that `keep: 1` or a
// library leaves does not tell which of its parts belong together. In .reprise/saves.json, of the agent that keeps the
// volume; where it cannot be written the saves that are there have to tell it alone.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/generations/halves/half_saves.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"
#include "agent/volume/volume_files.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {

struct KnownPart {
  Checkpoint checkpoint;  // whole by itself
  MadeCheckpoint made;    // its last entry; order 0: no agent saw it appear
  bool operator==(const KnownPart&) const = default;
};
using KnownParts = std::vector<KnownPart>;

// The whole parts of the saves with the highest steps, of those that are there and those that were known before. A save
// that is there is known as it lies, unless it lacks a piece that the known one of its name had. Pure.
[[nodiscard]] KnownParts last_saves(const Checkpoints& found, const MadeCheckpoints& made, const KnownParts& before);

// `made`, and the entries of those that are gone, by their order.
[[nodiscard]] MadeCheckpoints with_gone(MadeCheckpoints made, const KnownParts& known);

// Finds halves as if saves that are gone were there still: the present ones are held against them (half_saves.h). Of
// saves that are gone nothing is said. Pure.
[[nodiscard]] std::vector<HalfSave> find_half_saves(const Checkpoints& found, const MadeCheckpoints& made, Holds holds,
                                                    const KnownParts& known);

[[nodiscard]] std::string encode_known(const KnownParts& known);
// Empty when the text is half written.
[[nodiscard]] KnownParts decode_known(std::string_view text);

// Safe from any thread, which waits for no volume of another one.
class KnownSaves {
 public:
  [[nodiscard]] KnownParts get() const;
  // Known parts as the volume says them. A file that cannot be read leaves them as they are.
  void read(const VolumeFiles& files, const VolumeLayout& layout);
  // Notes the saves of a look that has seen all, by the agent that keeps the volume. Writes them once two looks have
  // seen the same: parts of a save come one after the other.
  void note(const VolumeFiles& files, const VolumeLayout& layout, const Checkpoints& found,
            const MadeCheckpoints& made);
  // Forgets saves that were put aside: they tell nothing of which parts belong together.
  void forget(const VolumeFiles& files, const VolumeLayout& layout, const std::set<std::string>& names);

 private:
  // The text that the volume does not say yet.
  [[nodiscard]] std::optional<std::string> unwritten() const;
  void write(const VolumeFiles& files, const VolumeLayout& layout);

  mutable std::mutex mutex_;
  KnownParts known_;
  std::string written_;
  bool is_writing_ = false;
};

}  // namespace reprise::agent
