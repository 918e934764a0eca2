// Finds checkpoints left by an attempt whose end no agent saw: on a disk of one machine names, sizes and marks of
// unwritten bytes may stay. A start resumes from proven ones (proven_list.h) and puts the rest aside.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/proofs/proven_list.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/run/environment.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// A rank of an attempt, as its record tells; no record: nothing.
struct RankEnd {
  std::int32_t rank = 0;
  bool told = false;    // there is a record of it, of that job and attempt
  bool synced = false;  // after its trainer's end all had reached the storage, without an error since its start
};
// Empty: an agent saw all of them end, and all that they wrote is there. Otherwise which one it did not, for people.
// Pure.
[[nodiscard]] std::string say_unseen(std::int32_t attempt, const std::vector<RankEnd>& ends);

// All parts of its save that the scan has found, by what agents saw appear and by their names: with itself.
[[nodiscard]] Checkpoints save_of(const Checkpoint& one, const Identity& self, const VolumeScan& scan);

struct Unproven {
  bool keeps_proofs = false;      // on other volumes the rest is not known
  bool proves_all = false;        // no list was there before, or all had ended in order: a sync proves what lies there
  std::set<std::string> names{};  // complete, and not to be resumed from
  std::set<std::string> by_sums{};     // checkpoints with all bytes under sums that hold (by_sums.h)
  std::string why{};                   // for people; empty where there are none
  bool lost_proven = false;            // a proven checkpoint is gone, or another by now
  std::optional<ProvenList> before{};  // as it was found
  // Some end of the last attempt nobody saw.
  [[nodiscard]] bool is_unseen() const { return keeps_proofs && !proves_all; }
};

// Judges the scan by whole saves: proven parts of a save that is not proven whole are none to resume from either.
[[nodiscard]] runtime::Result<Unproven> find_unproven(const Volume& volume, const Environment& env,
                                                      const Identity& self, const VolumeScan& scan);

// True if a start gives up what nothing proves: unless a person has it used. Where all resume from one step, that one
// is chosen, whatever this volume says. Pure.
[[nodiscard]] bool gives_up_unproven(const Environment& env, bool all_agree);
// The checkpoints that are chosen from. Pure.
[[nodiscard]] Checkpoints offered(Checkpoints found, const Environment& env, bool all_agree, const Unproven& unproven);
// Adds what is to go to .reprise/unproven. Pure.
void put_unproven_aside(const Environment& env, bool all_agree, const Unproven& unproven, ResumeChoice& choice);
// Text for people; empty where there are none. Pure.
[[nodiscard]] std::string say_unproven(const Environment& env, const Unproven& unproven);

// True if another pod was this rank in this attempt, and has left no word that all is on the disk. Before the first
// heartbeat of its own.
[[nodiscard]] bool follows_unsynced_end(const Volume& volume, const Identity& self);

struct LeftThere {
  const Checkpoints& found;   // by the scan
  const Checkpoints& before;  // all checkpoints that are there by now
};
// Before anybody can read what to resume from. Why not, for people; empty: it is done.
[[nodiscard]] std::string begin_proofs(const Volume& volume, const Environment& env, const Identity& self,
                                       const LeftThere& there, const Unproven& unproven);

}  // namespace reprise::agent
