// Torn checkpoints of this job that the volume does not let move. A cache may hide a completion marker for minutes, so
// one look deletes nothing: each restore writes down what it has left where it lies, in its attempt's directory, and a
// later attempt's deletes of that what is torn and unchanged still.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/core/watch/made_checkpoints.h"

namespace reprise::agent {

struct TornInPlace {
  std::string name;  // name of the directory
  // Signs that it was written to since: directories have no times of their own on object stores.
  std::int64_t entries = 0;    // anywhere below it
  runtime::WallTime newest{};  // when the last file of them was written
  bool was_complete = false;   // a restore chose it to resume from, or the operator knows it: then it stays
  bool operator==(const TornInPlace&) const = default;
};
using TornList = std::vector<TornInPlace>;

[[nodiscard]] std::string encode_torn(const TornList& torn, const Identity& by);
// Empty when the text is half written, or by another job.
[[nodiscard]] std::optional<TornList> decode_torn(std::string_view text, const Identity& reader);

struct TornQuestion {
  TornList torn;     // directories that this restore has found torn
  TornList earlier;  // directories that restores of earlier attempts have found torn
  Checkpoints found;
  MadeCheckpoints made;
  std::string job_uid;
};
// Chooses the directories that may go, since a newer generation stands for them (generations/outlived.h): never those
// of the last attempt that has left any, since while its step is above the newest it cannot be told from what a trainer
// is writing. Pure.
[[nodiscard]] std::vector<std::string> choose_torn_in_place(const TornQuestion& question);

struct TornRestore {
  Identity self;
  const MadeCheckpoints& made;
  const Checkpoints& found;       // torn ones among them
  std::vector<std::string> kept;  // chosen by this restore, or known to the operator
};
// `names`: what this restore has found torn and could not move. Writes them down and deletes those that may go, before
// any trainer of this attempt can run; `notes` say which. What could not be read or written is an error, and stays.
[[nodiscard]] runtime::Result<void> drop_torn_in_place(const Volume& volume, const TornRestore& restore,
                                                       const std::vector<std::string>& names,
                                                       std::vector<std::string>& notes);

}  // namespace reprise::agent
