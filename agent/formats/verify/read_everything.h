// A checkpoint read to its last byte, once: what its structure does not show.
#pragma once

#include <filesystem>

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

// Compares each sum that there is: SHA-256 of what SHA256SUMS, manifest.sha256 or Megatron's integrity.json name, else
// CRC-32 of what torch.save writes, in files of its own and in the shards of torch.distributed.checkpoint. All other
// files are read to their end, through links to directories only those that a list names. The first flaw, by name; a
// file that is closed to this user is Corrupt, one that has gone or become shorter Incomplete. A volume that cannot be
// read is an error: it says nothing about the checkpoint. `path` is a checkpoint without a flaw in its structure: a
// directory, or a file with `info`.
[[nodiscard]] runtime::Result<std::optional<Flaw>> read_everything(const VolumeFiles& files,
                                                                   const std::filesystem::path& path,
                                                                   const FileInfo& info);

struct FullRead {
  std::optional<Flaw> flaw{};
  // A file of which not all bytes stand under a sum that holds, and which no other sign shows to be whole; empty: there
  // is none. Other signs: JSON that ends, and a byte that is not zero in a file of one block, which a disk has or has
  // not.
  std::string unsummed{};
};
// The same.
[[nodiscard]] runtime::Result<FullRead> read_and_judge_sums(const VolumeFiles& files, const std::filesystem::path& path,
                                                            const FileInfo& info);

}  // namespace reprise::agent
