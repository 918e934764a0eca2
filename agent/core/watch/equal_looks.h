// Whether a look at the volume would be told what the one before was told: then nothing follows from it that has not
// followed before. Each question of a whole look is asked again, and nothing is left out. Of one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "agent/core/generations/halves/known_saves.h"
#include "agent/core/run/volume.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/volume/wrappers/recorded_files.h"
#include "protocol/reported_volume.h"

namespace reprise::agent {

class EqualLooks {
 public:
  // What a look goes by that it does not ask the volume for.
  struct Known {
    MadeCheckpoints made{};
    KnownParts saves{};
    std::optional<protocol::ReportedVolume> ways{};
    std::uint64_t write_errors = 0;
    bool ended_by_itself = false, prunes = false, may_write = false;
    bool operator==(const Known&) const = default;
  };
  // A whole look comes after so many at the latest: less than those after which one judges anew.
  static constexpr int kMostInARow = 15;

  explicit EqualLooks(std::shared_ptr<const Volume> volume)
      : original_(std::move(volume)), files_(original_->files, original_->layout.root), volume_(*original_, files_) {}

  // The volume, whose answers to this thread are remembered.
  [[nodiscard]] std::shared_ptr<const Volume> volume() const { return {original_, &volume_}; }

  // Around a whole look. `is_settled`: nothing has failed in it.
  void begin();
  void end(Known known, bool is_settled);
  // Two whole looks were told the same, and so is this one.
  [[nodiscard]] bool is_one(const Known& known);

 private:
  std::shared_ptr<const Volume> original_;
  RecordedFiles files_;
  Volume volume_;
  std::optional<Answers> answers_{};  // to the last whole look, where they can be asked for again
  Known known_{};                     // after it
  bool were_two_ = false;             // the one before that was the same
  int skipped_ = 0;                   // since
};

}  // namespace reprise::agent
