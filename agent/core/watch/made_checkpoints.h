// Lists the checkpoints that this volume's trainers have made while an agent watched, below .reprise/made. Only entries
// of the list may ever be deleted, since anything else on the volume may be somebody's data. Each entry is a file of
// its own under a new name, so that volumes without rename can hold it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

struct MadeCheckpoint {
  std::int64_t order = 0;  // order of the entries: the later, the higher
  std::string name{};      // name of the directory
  std::string job_uid{};
  std::int32_t attempt = 0;
  GangSize gang{};        // gang of that attempt
  bool doubtful = false;  // no sign shows that the job wrote it (own_places.h)
  bool unsaid = false;    // an earlier version of the agent, which did not ask, has written it down
  // Its attempt was asked to stop before it came, and its trainer ended by itself after it: nothing more of it was to
  // come.
  bool answered = false;
  bool operator==(const MadeCheckpoint&) const = default;
};
using MadeCheckpoints = std::vector<MadeCheckpoint>;  // ascending order

// Entries for what has appeared, or was written again, since `before` and is not yet in the list for this attempt, or
// was `written_again` since it was listed. Pure.
[[nodiscard]] MadeCheckpoints newly_made(const Checkpoints& found, const Checkpoints& before,
                                         const MadeCheckpoints& made, const Identity& self,
                                         const std::set<std::string>& written_again = {});

// True if trainers of this job have made that directory without a doubt: one whose name does not say checkpoint only
// when they have made several named alike ("model-7", "model-8"), because a trainer may unpack "imagenet-2012" too.
// Pure.
[[nodiscard]] bool made_by(const std::string& job_uid, const std::string& name, const MadeCheckpoints& made);

struct Appearance {
  std::int64_t attempt = 0;  // the last attempt that made it, counted over all jobs of the volume, from 1
  std::int64_t order = 0;    // order of its last entry
  GangSize gang{};           // gang of that attempt
  bool doubtful = false;     // every entry
};
// Appearances by name. Pure.
using Appearances = std::map<std::string, Appearance>;
[[nodiscard]] Appearances appearances_in(const MadeCheckpoints& made);
// True if agents saw it appear, and none without a doubt.
[[nodiscard]] bool is_doubtful(const Appearances& appearances, const std::string& name);

// The last attempt of that job that has made it; 0: none has. Pure.
[[nodiscard]] std::int32_t last_attempt_at(const std::string& name, const MadeCheckpoints& made,
                                           const std::string& job_uid);

[[nodiscard]] runtime::Result<MadeCheckpoints> read_made(const Volume& volume);
// The same for who has read it before: what is known is not read again. No number is given twice while an agent writes.
[[nodiscard]] runtime::Result<void> read_made_since(const Volume& volume, MadeCheckpoints& known);
[[nodiscard]] runtime::Result<void> write_made(const Volume& volume, const MadeCheckpoint& entry);
// Drops the entries of directories that are gone, and those that a later one of the same directory and job has
// replaced: a trainer that writes to the same few directories in every attempt makes no list that grows. From the list
// and, where the volume can delete, from there. Those of `expected` stay: they tell which checkpoints are older than a
// lost one.
void forget_gone(const Volume& volume, MadeCheckpoints& made, std::string_view expected = {});
// The same for who only reads: the list as it then is.
[[nodiscard]] MadeCheckpoints without_gone(const Volume& volume, MadeCheckpoints made, std::string_view expected = {});
// Drops the entries of directories whose checkpoints count no more: what is saved there next is another one, which no
// agent has seen appear.
void forget(const Volume& volume, MadeCheckpoints& made, const std::set<std::string>& directories);

}  // namespace reprise::agent
