// Finds where this job's trainers save. A volume may be shared with others who write checkpoints of their own while an
// agent watches: a notebook, a second training, a person who copies. The mere appearance of a checkpoint is no proof
// that this job wrote it, so a checkpoint that appears in a place without such proof is doubtful: it is neither deleted
// by `keep` nor moved. Pure, but for the functions that read and write .reprise/places.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/run/volume.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/volume/open_files.h"

namespace reprise::agent {

// The text that the saves of one series have in common: the path without the numbers of steps, epochs and ranks. Those
// of runs and versions stay in directories: "runs/1" and "runs/2" may be two trainings.
enum class Ranks { Together, Apart };
[[nodiscard]] std::string place_of(const std::string& name, Ranks ranks = Ranks::Together);
// The numbers of ranks tell places apart where its attempt had one process.
[[nodiscard]] std::string place_of(const MadeCheckpoint& entry);

// The undoubted saves of an attempt.
struct SavedSoFar {
  bool anything = false;
  bool in_any_attempt = false;              // the job has, in any attempt
  std::optional<std::int64_t> only_step{};  // the one step of all that say one; empty: there are none, or several
};

struct PlaceQuestion {
  const MadeCheckpoints& made;
  const Checkpoints& before;        // this attempt's trainer
  const std::string& resumed_path;  // its checkpoint; empty: none
  const SavedSoFar& saved;
  const Identity& self;
};
// Marks those of `appeared` as doubtful that lie neither in a place of this job nor in the one to which this attempt's
// trainer saves first. That one has to be the one that it resumed from, or new; of a job that has saved before, it also
// has to be called alike (the directory of the next run or version). Any other one is believed at its third save of
// this attempt, where nothing has appeared elsewhere.
void doubt(MadeCheckpoints& appeared, const PlaceQuestion& question);
// `appeared`: of one job, behind all that are `known` in order.
[[nodiscard]] SavedSoFar saved_with(const SavedSoFar& before, const MadeCheckpoints& appeared,
                                    const MadeCheckpoints& known);

// True if the files that processes of this attempt hold open to write show that they save there: it, a file in it or
// beside it, or another one of the same series.
[[nodiscard]] bool shows_own(const OpenFiles& open, const std::string& name);

// Entries in which an earlier version of the agent has not said whether they are doubtful: those in places that have at
// most half as many of them as another one of the job are.
void doubt_unsaid(MadeCheckpoints& made);

// The places where the job saves, by its undoubted entries.
struct OwnPlaces {
  std::set<std::string> places{};
  std::set<std::string> directories{}, with_steps{};  // the latter: to which a series is saved that says its steps
  // Names without a step ("last.ckpt") count by their directory, since `keep` deletes none of them; so does a series
  // where the job is known to have saved nothing else.
  [[nodiscard]] bool have(const std::string& name) const;
  [[nodiscard]] bool empty() const { return places.empty(); }
};
[[nodiscard]] OwnPlaces own_places(const MadeCheckpoints& made, std::string_view job_uid);

// Text for people, of those that are there; empty: none is doubtful.
[[nodiscard]] std::string say_doubtful(const Checkpoints& found, const MadeCheckpoints& made,
                                       const std::string& job_uid);

// A rank says that its trainer writes `name`: the others see its processes on no other machine.
[[nodiscard]] runtime::Result<void> write_place(const Volume& volume, const Identity& self, const std::string& name);
// Entries of places that some rank of their job has written down, or that have an entry without a doubt, are doubtful
// no more.
[[nodiscard]] runtime::Result<void> settle_doubts(const Volume& volume, MadeCheckpoints& made);

}  // namespace reprise::agent
