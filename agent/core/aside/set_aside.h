// Checkpoints that are set aside where they lie, because the volume moves no directories: written down in
// .reprise/set-aside/, so that every scan from then on leaves them out. Each list has a name of its own; none is ever
// written again.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/run/identity.h"
#include "agent/formats/checkpoint.h"
#include "agent/volume/volume_files.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {

// A complete checkpoint is known by its name and the time of its completion: a trainer that saves the step again makes
// another one. A torn one is left out for as long as it is torn. Pure.
[[nodiscard]] Checkpoints without_set_aside(Checkpoints found, const Checkpoints& set_aside);

[[nodiscard]] std::string encode_set_aside(const Checkpoints& set_aside, const Identity& by);
// Empty when the text is half written.
[[nodiscard]] std::optional<Checkpoints> decode_set_aside(std::string_view text);

// The contents of the lists. From any thread; each is read once.
class SetAside {
 public:
  enum class Why {
    CannotMove,  // a restore would have moved it away
    Damaged,     // a full read has found it so while a trainer ran (full_verification.h)
  };

  [[nodiscard]] runtime::Result<Checkpoints> read(const VolumeFiles& files, const VolumeLayout& layout);
  // Reads only the damaged ones.
  [[nodiscard]] runtime::Result<Checkpoints> read_damaged(const VolumeFiles& files, const VolumeLayout& layout);
  // Returns when it is durable.
  [[nodiscard]] static runtime::Result<void> add(const VolumeFiles& files, const VolumeLayout& layout,
                                                 const Checkpoints& set_aside, const Identity& by,
                                                 Why why = Why::CannotMove);

 private:
  [[nodiscard]] Checkpoints listed(std::string_view prefix);

  std::mutex mutex_;
  std::map<std::string, Checkpoints> lists_;  // by file
};

}  // namespace reprise::agent
