// Proves checkpoints where a sync does that, and keeps the list of them (proven_list.h). From any thread; each call but
// list() takes as long as the storage does.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "agent/core/proofs/proof_ledger.h"
#include "agent/core/proofs/proven_list.h"
#include "agent/core/run/identity.h"
#include "agent/formats/checkpoint.h"
#include "agent/volume/volume_files.h"
#include "agent/volume/volume_layout.h"
#include "runtime/base/error.h"

namespace reprise::agent {

class SharedSyncs;  // shared_syncs.h
struct Volume;

// True if bytes that a lost machine had not written yet are lost, and a sync shows which it had written. Elsewhere no
// list is kept.
[[nodiscard]] bool keeps_proofs(const VolumeFiles& files);

// The shape of a checkpoint as it lies; empty: it is gone, or cannot be looked at.
[[nodiscard]] std::optional<CheckpointShape> shape_now(const Volume& volume, const std::string& checkpoint);
// True if all that was proven of it is there as it was.
[[nodiscard]] bool is_as_it_was(const Volume& volume, const std::string& checkpoint, const CheckpointShape& shape);

class Proofs {
 public:
  struct Question {
    const Checkpoints& found;      // newest first
    const Checkpoint& newest;      // the one of these that matters
    bool writes = false;           // by who keeps the volume
    SharedSyncs* syncs = nullptr;  // with the other ranks; null: by itself
  };
  struct Outcome {
    Durability durability = Durability::Unproven;  // durability of `newest`
    Checkpoints proven{};                          // proven by what was asked now, or before
    std::string why{};                             // the reason why it is not proven, for people; empty: nothing worth
                                                   // saying
    bool waits = false;                            // for another rank's sync: nothing is known yet
  };
  // An error: the volume does not answer; that a write to it has failed is an outcome.
  [[nodiscard]] runtime::Result<Outcome> prove(const Volume& volume, const Question& question);

  // The list on the volume; empty: no agent has kept a list here, or it cannot be read as one.
  [[nodiscard]] runtime::Result<std::optional<ProvenList>> read(const Volume& volume);

  struct Beginning {
    Identity self{};
    std::int32_t ranks = 1;  // ranks that write to this volume
    const Checkpoints& found;
    std::set<std::string> unproven{};  // checkpoints that nothing has shown to be there
    std::set<std::string> by_sums{};   // checkpoints that a sync proves in any case
    bool proves_all = false;           // a sync proves the others, or they were listed before
  };
  // Before the trainers of an attempt are started, whose end nobody has seen yet. A line for people where something of
  // it could not be done.
  [[nodiscard]] std::string begin(const Volume& volume, const Beginning& beginning);

  // Called by a pod that takes a rank over within an attempt: its own sync proves nothing of what is there by then.
  [[nodiscard]] runtime::Result<void> take_over(const Volume& volume, const Checkpoints& found);
  // True if it is on the list.
  [[nodiscard]] bool knows(const Checkpoint& checkpoint) const { return lists(list(), checkpoint); }

  // After the trainer has ended: whether all that it has written has reached the storage.
  [[nodiscard]] static bool seal(const Volume& volume);

 private:
  struct Asking {
    const Volume& volume;
    const Question& question;
    const Checkpoints& asked;
    const std::map<std::string, CheckpointShape>& shapes;
    const ProvenList& before;
    std::optional<CheckpointShape> save{};  // shape of the save of `newest`, where others may know of it
  };
  [[nodiscard]] static runtime::Result<Outcome> ask_mount(const Volume& volume, const Question& question);
  [[nodiscard]] runtime::Result<Outcome> sync(const Asking& asking, bool writes, Outcome outcome);
  [[nodiscard]] runtime::Result<Outcome> sync_once(const Asking& asking, bool writes, Outcome outcome);
  [[nodiscard]] runtime::Result<Outcome> sync_for_all(const Asking& asking, bool writes, Outcome outcome);
  [[nodiscard]] ProvenList list() const;
  void know(ProvenList list);
  [[nodiscard]] bool is_doubted(const Checkpoint& checkpoint) const;
  [[nodiscard]] std::set<std::string> suspects(const Asking& asking) const;
  [[nodiscard]] runtime::Result<void> load(const Volume& volume);
  [[nodiscard]] runtime::Result<void> write(const Volume& volume, ProvenList list);
  void note_unsettled(const Checkpoint& newest, const std::map<std::string, CheckpointShape>& shapes);
  [[nodiscard]] bool still_changes(const Checkpoint& newest, const CheckpointShape& shape);

  mutable std::mutex mutex_;
  std::optional<ProvenList> list_;                               // once it was read
  std::string written_;                                          // the text that is there
  std::set<std::pair<std::string, runtime::WallTime>> doubted_;  // checkpoints that no sync of this attempt proves
  // The newest that was seen to change, as it was then: it is synced again once it stands still.
  std::optional<ProvenCheckpoint> unsettled_;
};

}  // namespace reprise::agent
