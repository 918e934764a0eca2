// The agent that syncs the volume for all ranks on its host says this of it, in .reprise/synced/<write cache>.json
// (VolumeFiles::write_cache). It counts within its attempt alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/core/proofs/proven_list.h"
#include "agent/core/run/identity.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

struct Volume;

struct SyncWord {
  Identity by;
  std::string begun{};                      // a sync for that save has begun and not ended; empty: none
  std::string save{};                       // the last for which one has ended; for people
  std::optional<CheckpointShape> synced{};  // shape of that save, as it was before the sync and after it
};
[[nodiscard]] std::string encode_sync_word(const SyncWord& word);
[[nodiscard]] std::optional<SyncWord> decode_sync_word(std::string_view text);

// The shape of all complete parts of the save that `newest` belongs to: a rank that sees the same one sees what was
// there before the sync. Empty: it cannot be said in few numbers, or something of it lies beside the save.
[[nodiscard]] std::optional<CheckpointShape> shape_of_save(const Volume& volume, const Checkpoints& found,
                                                           const Checkpoint& newest);

}  // namespace reprise::agent
