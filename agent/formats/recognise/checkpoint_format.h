// The seam for checkpoint formats: discover, judge, put aside, say what to resume from. A checkpoint is known by its
// name, which is its path below the root of the volume: a directory ("step-120"), with other formats one that is nested
// ("run-1/step-120"), a single file, or what a tracker file names. All of it is callable from any thread; a volume that
// cannot be read is an error, never "none" and never "not complete". To discover() and look_closely() one checkpoint of
// which the storage has lost bytes is torn (Flaw::lost); to the others that is an error as well.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/checkpoint.h"
#include "agent/formats/structure/flaw.h"
#include "agent/formats/verify/holds.h"
#include "agent/volume/volume_files.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// One checkpoint, looked at by itself.
struct CloseLook {
  Checkpoint checkpoint;
  std::optional<Flaw> flaw;  // of one that is not complete
};

// What the storage gives an error for, below a root that can be read.
struct Unreadable {
  std::map<std::string, std::string> checkpoints{};  // by name, and why
  std::string directories{};                         // for people: others, which may hold some; empty: none
};

class SumsReader;  // sums_reader.h

class CheckpointFormat {
 public:
  using Path = std::filesystem::path;
  CheckpointFormat() = default;
  CheckpointFormat(const CheckpointFormat&) = delete;
  CheckpointFormat& operator=(const CheckpointFormat&) = delete;
  virtual ~CheckpointFormat() = default;

  // All that is or was to become a checkpoint, complete or torn; highest step first.
  [[nodiscard]] virtual runtime::Result<Checkpoints> discover(const VolumeFiles& files, const Path& root) const = 0;
  // For people: what the last discover() has not looked into since a look is bounded. Empty: nothing; only then it has
  // seen all that lies on the volume.
  [[nodiscard]] virtual std::string unsearched() const { return {}; }
  // For people: how many files the last discover() saw that may be of saves by their numbers, where they are too many
  // to be looked at: what belongs to a save is not known then. Empty: none was left out.
  [[nodiscard]] virtual std::string uncounted() const { return {}; }
  // What stands in for another one beside it (stand_ins.h), complete, as the last discover() saw it; none of it is
  // found.
  [[nodiscard]] virtual Checkpoints stand_ins() const { return {}; }
  // What of it the last discover() could not read, since the storage has lost it; the checkpoints are torn.
  [[nodiscard]] virtual Unreadable unreadable() const { return {}; }
  // For people: what it saw that is newer than every complete one and cannot be judged, and where nothing is complete
  // what is like a checkpoint and was not taken for one. Empty: nothing.
  [[nodiscard]] virtual std::string not_taken() const { return {}; }
  // What may hold a training's state and is no checkpoint, as the last discover() saw some of it: files and directories
  // without a step in their names.
  [[nodiscard]] virtual std::vector<std::string> other_states() const { return {}; }
  // Whether that one lies where some look knew of a directory and has not looked into it: that a later one finds it
  // there does not mean that it was made meanwhile.
  [[nodiscard]] virtual bool may_have_been_there(const std::string& /*name*/) const { return false; }
  // What of it counts, complete or torn: the rest is left alone.
  [[nodiscard]] virtual Checkpoints certain(Checkpoints discovered) const { return discovered; }
  // What discover() will find and is not `known`, by names alone and with few calls, for who may not have the time for
  // more; highest step first, and none is said to be complete. Nothing where names alone do not tell.
  using Known = std::function<runtime::Result<bool>(const std::string& name)>;
  [[nodiscard]] virtual runtime::Result<Checkpoints> glance(const VolumeFiles& files, const Path& root,
                                                            const Known& known) const;
  // Whether what the last discover() has found complete is so to its last byte, where only the right sums make it so:
  // discover() reads the newest alone. Reads what was not read yet, once; the next discover() knows what came of it.
  [[nodiscard]] virtual runtime::Result<bool> sums_hold(const VolumeFiles& /*files*/, const Path& /*root*/,
                                                        const std::string& /*name*/) const {
    return true;
  }
  // So many looks were told what the last discover() was told, and were none of its.
  virtual void note_equal_looks(int /*looks*/) {}
  // Who reads what takes reading everything, before anything is looked at; by itself otherwise.
  virtual void read_sums_by(std::shared_ptr<const SumsReader> /*reader*/) {}
  // Kinds of files beside checkpoints that saves have brought (StateFiles::kind), for the next discover(): what was
  // left without its save does not make data of them (pieces/pieces_of_saves.h).
  virtual void expect_pieces(std::set<std::string> /*kinds*/) {}
  // When the piece that makes the checkpoint complete was written; nothing while it is not complete.
  [[nodiscard]] virtual runtime::Result<std::optional<runtime::WallTime>> completed(const VolumeFiles& files,
                                                                                    const Path& checkpoint) const = 0;
  // What `name` below the root is now, read anew; nothing: no checkpoint.
  [[nodiscard]] virtual runtime::Result<std::optional<CloseLook>> look_closely(const VolumeFiles& files,
                                                                               const Path& root,
                                                                               const std::string& name) const;
  // For people: directories that the last discover() did not enter, since they belong to other jobs. Empty: none.
  [[nodiscard]] virtual std::string of_others() const { return {}; }
  // Moves all that belongs to the checkpoint to `to`, which is not there yet, so that it is discovered no more. Nothing
  // of it has moved where that fails.
  [[nodiscard]] virtual runtime::Result<void> put_aside(const VolumeFiles& files, const Path& root,
                                                        const std::string& name, const Path& to) const;
  // Makes it incomplete before it is deleted where it cannot be moved away first.
  [[nodiscard]] virtual runtime::Result<void> invalidate(const VolumeFiles& files, const Path& checkpoint) const = 0;
  // What the trainer is given as $REPRISE_RESUME_FROM, before a link hides the volume's own path.
  [[nodiscard]] virtual Path resume_path(const Path& root, const std::string& name) const;
};

// By REPRISE_CHECKPOINT_FORMAT; an unknown name is an error that lists the known ones. `held`: by the volume.
[[nodiscard]] runtime::Result<std::unique_ptr<CheckpointFormat>> make_format(std::string_view name,
                                                                             HeldParts held = {});

}  // namespace reprise::agent
