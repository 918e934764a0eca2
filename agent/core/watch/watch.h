// Watches the volume for new checkpoints: appeared -> written down; marker there -> syncfs -> durable -> prune. `look`
// blocks for as long as the storage does and belongs on a Worker; `seen` never blocks on the volume. Both from any
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/fencing/own_places.h"
#include "agent/core/generations/plan_pruning.h"
#include "agent/core/proofs/proofs.h"
#include "agent/core/proofs/shared_syncs.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/core/run/worker.h"
#include "agent/core/space/room_watch.h"
#include "agent/core/watch/equal_looks.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// True if `candidate` came after `baseline`: a higher step, one completed later, or the same step written again.
[[nodiscard]] bool is_newer(const Checkpoint& candidate, const std::optional<Checkpoint>& baseline);

class CheckpointWatch {
 public:
  struct Seen {
    std::optional<Checkpoint> newest;
    std::optional<Checkpoint> durable;
    std::optional<Checkpoint> lasting;             // the newest complete one that stands in for no other
    bool structure_only = false;                   // no sign shows whether that one is durable: nothing is pruned
    bool proof_may_come = false;                   // and a later look may find that it is
    std::string not_proven;                        // why it never will be; for people
    bool was_before = false;                       // the durable one was there before the trainer ran
    std::optional<std::int64_t> size_bytes;        // size of the durable one
    std::optional<std::string> saving;             // the name of a newer one that is not, or not known to be, whole yet
    std::int64_t saving_bytes = 0;                 // bytes of that one so far, where that is measured
    std::string problem;                           // the error with which the volume rejected the last look
    std::string out_of_order;                      // why nothing is pruned; for people
    std::vector<std::string> left_alone;           // checkpoints of which `keep` deletes nothing, and why; for people
    std::string halves;                            // newer saves that are not whole, and what they lack; for people
    std::optional<protocol::ReportedRoom> room{};  // room of the agent that keeps the volume, where that says it
    // Numbers of the last look that has begun, and of the last that has ended, from 1 on.
    std::uint64_t look_begun = 0, look_ended = 0;
  };
  struct Options {
    std::optional<std::int64_t> resumed_from{};
    std::string resumed_path{};  // its name
    bool gang = false;           // other ranks resume from it too
    Holds holds = Holds::AllRanks;
    std::optional<std::int32_t> keep = {};
    bool measures_saves = false;  // how much of one that is not whole is there: takes calls
    bool prunes = false;          // this agent keeps the volume, and knows `before`
    Checkpoints ignored{};        // were there before and are not this job's progress
    // All that was there before the trainer ran; else all that the first look finds, without the entries that by the
    // list this attempt has made (watch_beside.cc).
    Checkpoints before{};
    bool ignores_before = false;  // none of that is this job's progress
    MadeCheckpoints made{};       // checkpoints that agents have seen appear until then
    std::string expected{};       // the name that the operator knows: what is made after it is told by the list
    std::string resume_point{};   // as it was published; empty: it could not be
    Identity self{};
    std::function<bool()> may_write = [] { return true; };  // false once fenced: then nothing is pruned
    // True if so much is known of a durable one that older ones may go, newer ones or not; empty: the durability of the
    // newest one is enough.
    std::function<bool(const Checkpoint&)> may_outlive{};
    // The newest step that all ranks are known to have, where each has a volume and all resume from one
    // (common_step.h); empty: this rank's volume alone counts. Called by a look.
    std::function<std::optional<std::int64_t>()> step_of_all{};
    std::function<void()> notify = [] {};             // after something new was seen
    std::function<void(const Seen&)> told{};          // takes what is known, after each look and before a wait
    std::shared_ptr<SharedSyncs> syncs{};             // with the other ranks; null: each save is synced here
    std::shared_ptr<Exclusion> one_look_at_a_time{};  // null: looks never overlap
    std::shared_ptr<Exclusion> one_list_at_a_time{};  // for lists of appeared names; null: nobody writes one beside a
                                                      // look
  };

  CheckpointWatch(std::shared_ptr<const Volume> volume, Options options)
      : equal_looks_(std::move(volume)),
        volume_(equal_looks_.volume()),
        options_(std::move(options)),
        made_(options_.made) {}

  void look();
  // Writes down what has appeared, by names alone and beside a look: on a volume whose calls take seconds a look takes
  // a minute.
  void write_down_names();
  // The time of the grace that a stop leaves belongs to the save: the next attempt prunes the rest.
  void stop_pruning() { prunes_ = false; }
  // Notes, for the looks from here on: after newest_now() the trainer was asked to stop, and has ended by itself.
  void note_end() {
    const std::lock_guard lock(mutex_);
    ended_by_itself_ = true;
  }
  [[nodiscard]] Seen seen() const;
  // The newest complete checkpoint right now, without waiting for its durability.
  [[nodiscard]] runtime::Result<std::optional<Checkpoint>> newest_now() const;

 private:
  // The checkpoints that count, and those that stand in for another one and are further (stand_ins_beside.h): nothing
  // older goes for that.
  struct Found {
    Checkpoints lasting{}, further{};
    [[nodiscard]] Checkpoints together() const;
  };
  [[nodiscard]] runtime::Result<Found> scan(const MadeCheckpoints& made) const;
  [[nodiscard]] runtime::Result<Checkpoints> further_in(const Checkpoints& found, const MadeCheckpoints& made) const;
  [[nodiscard]] bool may_be_own(const Checkpoint& stand_in, const MadeCheckpoints& made) const;
  // `counted` and what is further, newest first; what nobody has listed of it is so in `listed` from then on.
  [[nodiscard]] Checkpoints with_further(Checkpoints counted, const Found& found, MadeCheckpoints& listed) const;
  [[nodiscard]] MadeCheckpoints made() const;
  [[nodiscard]] runtime::Result<void> look_beside();
  [[nodiscard]] MadeCheckpoints made_as_of(const Checkpoints& found, MadeCheckpoints known) const;
  [[nodiscard]] bool is_ignored(const Checkpoint& each, const MadeCheckpoints& known) const;
  [[nodiscard]] EqualLooks::Known known_now() const;
  [[nodiscard]] bool sees_nothing_new();
  [[nodiscard]] runtime::Result<void> look_whole();
  [[nodiscard]] runtime::Result<void> look_once();
  // `outcome`: why what was found could not be written down.
  [[nodiscard]] runtime::Result<Found> scan_and_write_down(runtime::Result<void>& outcome);
  [[nodiscard]] bool was_before(const Checkpoint& each) const;
  [[nodiscard]] Checkpoints without_halves(const Checkpoints& found, const MadeCheckpoints& made,
                                           std::string& said) const;
  void see_saving(const std::optional<std::string>& name, const std::string& halves);
  [[nodiscard]] bool write_down_answers(const Checkpoints& found);
  [[nodiscard]] bool is_there(const Checkpoint& known, const Checkpoints& found) const;
  [[nodiscard]] std::set<std::string> written_again(const Checkpoints& found) const;
  void know_saves(const Checkpoints& found, const MadeCheckpoints& listed);
  [[nodiscard]] runtime::Result<void> write_own_anew();
  [[nodiscard]] runtime::Result<MadeCheckpoints> lost_of_list() const;
  [[nodiscard]] runtime::Result<bool> write_choice_anew() const;
  void see_room(const Checkpoints& found, const MadeCheckpoints& listed);
  void see_lasting(std::optional<Checkpoint> newest);
  void see_newest(const Checkpoint& newest, const std::optional<std::string>& saving);
  void see_durable(const Checkpoint& newest, const Proofs::Outcome& proof, const std::optional<std::string>& saving,
                   std::string out_of_order);
  [[nodiscard]] std::optional<std::string> unfinished(const Checkpoints& found, const Checkpoints& counted,
                                                      const std::optional<Checkpoint>& newest) const;
  void forget_removed(const Checkpoints& found);
  [[nodiscard]] runtime::Result<void> write_down(const Checkpoints& found);
  [[nodiscard]] runtime::Result<void> list(MadeCheckpoints& entries, MadeCheckpoints& listed);
  [[nodiscard]] runtime::Result<void> look_for_writers(MadeCheckpoints& entries);
  [[nodiscard]] runtime::Result<void> settle();
  void note_saved_so_far();
  [[nodiscard]] runtime::Result<Checkpoints> new_names() const;
  [[nodiscard]] runtime::Result<void> prune_while_allowed(const std::vector<std::string>& names) const;
  [[nodiscard]] runtime::Result<void> prune_generations(const Checkpoints& found, const PruneQuestion& question);
  [[nodiscard]] runtime::Result<void> drop_outlived(const Checkpoints& found, const PruneQuestion& question);
  void note_proven(const Checkpoints& found, const Checkpoints& shown);
  [[nodiscard]] bool is_proven(const Checkpoint& each) const;
  [[nodiscard]] runtime::Result<std::set<std::string>> unproven(const Checkpoints& found);
  [[nodiscard]] bool may_tidy() const;
  [[nodiscard]] std::optional<Checkpoint> outliving(const Checkpoints& counted, const Checkpoint& durable) const;
  [[nodiscard]] bool has_tidied_for(const Checkpoints& counted, const Checkpoint& durable) const;
  [[nodiscard]] bool has_more_pieces(const Checkpoints& counted, const Checkpoint& durable) const;
  [[nodiscard]] runtime::Result<void> tidy(const Checkpoints& found, const Checkpoints& counted,
                                           const Checkpoint& durable);

  EqualLooks equal_looks_;
  std::shared_ptr<const Volume> volume_;
  Options options_;
  std::atomic<bool> prunes_{true};
  // The two for which older ones are gone, or stay; only the thread that looks uses it.
  struct Tidied {
    Checkpoint durable;
    std::optional<std::int64_t> step_of_all;
    std::vector<StateFiles> pieces;  // pieces that its save has brought until then
    bool operator==(const Tidied&) const = default;
  };
  std::optional<Tidied> tidied_for_{};
  using Proven = std::set<std::pair<std::string, runtime::WallTime>>;  // by name and time of completion
  Proven proven_{};  // complete ones that something has shown to be durable; of the thread that looks
  RoomWatch room_;
  bool has_reserve_ = false;                                 // the reserve was looked for
  std::map<std::string, runtime::WallTime> completed_at_{};  // complete ones, as the last look saw them; the same
  std::int64_t last_order_ = 0;                // order of an entry that this agent has written; with the list's lock
                                               // held
  SavedSoFar saved_{}, saved_before_look_{};   // the same
  std::optional<std::int64_t> step_of_all_{};  // at this look
  mutable std::mutex mutex_;
  bool ended_by_itself_ = false;                   // the trainer, after a stop
  mutable std::optional<Checkpoint> newest_part_;  // at the last newest_now(), of a half save too
  bool knows_before_ = false;                      // in an agent that does not keep the volume
  Seen seen_;
  std::string wiped_;  // not empty: the agent's own files were deleted; for people
  MadeCheckpoints made_;
};

}  // namespace reprise::agent
