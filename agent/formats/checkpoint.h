// A checkpoint as a scan of the volume saw it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::agent {

inline constexpr std::string_view kMarkerFormat = "Marker";

// Files with a training's state that are of one checkpoint and none themselves, and differ in numbers alone.
struct StateFiles {
  std::string kind;  // "rank_#.pt"
  std::int64_t count = 0;
  bool counts_itself = false;   // "model-00001-of-00004.safetensors": what is missing of them their names tell
  std::string first, last;      // the least and the greatest path below the root of the volume
  bool came_with_save = false;  // a kind of HeldPieces: time shows that it comes with saves
  bool operator==(const StateFiles&) const = default;
};

// State files by their kinds. With more or fewer of them it is the same checkpoint still.
struct HeldState {
  std::vector<StateFiles> kinds{};
  bool operator==(const HeldState& /*other*/) const { return true; }
};

// Pieces that each save brings, with its step's number or in its directory, though nothing says that they belong to it:
// for `keep`, and for which save is resumed from (pieces/pieces_of_saves.h). The same checkpoint with other ones, too.
struct HeldPieces {
  std::vector<StateFiles> for_keep{}, for_resume{};
  std::set<std::string> torn{};  // kinds of which one is there and cut off, or empty
  bool operator==(const HeldPieces& /*other*/) const { return true; }
};

struct Checkpoint {
  std::string name;  // its path below the root of the volume: of a directory, or with some formats a file
  std::int64_t step = 0;
  bool complete = false;
  runtime::WallTime time{};  // when its last piece was written, by the clock of whoever wrote it
  std::string format{};      // format that has recognised it (checkpoint_format.h), where more than one may be meant
  // State files in a directory that is complete by a mark or a list of its own, and beside a single file: only the
  // saves before tell which of them belong to a save (../core/generations/halves/). None where a library says what
  // belongs to it.
  HeldState state{};
  HeldPieces pieces{};
  bool operator==(const Checkpoint&) const = default;
};

// Newest first, where nothing else is said: checkpoint_order.h.
using Checkpoints = std::vector<Checkpoint>;

// The highest step; empty where there are no checkpoints.
[[nodiscard]] inline std::optional<std::int64_t> highest_step(const Checkpoints& checkpoints) {
  const auto highest = std::ranges::max_element(checkpoints, {}, &Checkpoint::step);
  return highest == checkpoints.end() ? std::nullopt : std::optional(highest->step);
}

}  // namespace reprise::agent
