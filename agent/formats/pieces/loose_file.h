// A file that lies in no checkpoint and bears a number, which may be that of a save's step. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/volume/volume_files.h"

namespace reprise::agent {

struct LooseFile {
  std::string path;  // below the root
  FileInfo info{};
  bool is_torn = false;        // by its own first bytes
  bool tells_its_end = false;  // it is of a kind that shows where it is cut off
};

// By a word for what a training draws from, or goes on with in its data: "sampler", "replay_buffer".
[[nodiscard]] bool names_training_data(std::string_view path);

// By its path: no log, picture or copy, and nothing that bears the name of an unfinished save. A table is one where it
// is called as a training's data.
[[nodiscard]] bool may_be_piece(std::string_view path);

// By its ending: a training may go on from what is in it.
[[nodiscard]] bool may_hold_training(std::string_view path);

// A number in a path: of digits, or as people write it short ("100k").
struct NumberInPath {
  std::int64_t value = 0;
  bool may_be_step = false;  // not that of a rank, shard, version, run or metric
  bool is_epoch = false;     // by that word
};
// In their order, all of them: of two paths of one kind (naming_of) the same one is at the same place.
[[nodiscard]] std::vector<NumberInPath> numbers_in_path(std::string_view path);

// The place in `numbers` of the one that is among `steps`; nothing: none is, or two that differ.
[[nodiscard]] std::optional<std::size_t> place_of_step(const std::vector<NumberInPath>& numbers,
                                                       const std::set<std::int64_t>& steps);

}  // namespace reprise::agent
