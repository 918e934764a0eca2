// Tells if the storage gives what a checkpoint seems to have: a few small reads of each of its files. A mount whose
// node was lost with a write-back cache shows names and sizes, and an error for each byte.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "agent/formats/structure/flaw.h"
#include "agent/volume/volume_files.h"

namespace reprise::agent {

struct SmallRead {
  std::size_t file = 0;  // a file of those asked about
  std::uint64_t offset = 0;
  std::size_t length = 0;
  bool operator==(const SmallRead&) const = default;
};

struct ReadBackBound {
  std::size_t reads = 0;  // number of all files' reads together
  std::size_t per_file = 0;
  std::chrono::milliseconds time{};  // then no other read begins; one that hangs is waited for
};
// The bound on a mount by FUSE: at most 2,048 reads of 4 KiB in 20 s; elsewhere, where a file system has told its own
// writers of an error, the ends and the middle of files: 512 reads in 5 s. Of at most kMostReadBack files.
[[nodiscard]] ReadBackBound read_back_bound(const std::optional<MountKind>& kind);
inline constexpr std::size_t kMostReadBack = 8'192;

// Plans the likeliest losses first: the last block of each file, then the first ones, then what lies between, ever
// closer, down to a block of a store (4 MiB). Where there are more files than reads some of them stand for all. Pure.
[[nodiscard]] std::vector<SmallRead> plan_read_back(const std::vector<std::uint64_t>& sizes,
                                                    const ReadBackBound& bound);

// The flaw (Flaw::lost) where the storage gives an error for one of them; nothing otherwise: what does not answer, or
// not this user, has lost nothing. `goes_on`: false once the time is over.
[[nodiscard]] std::optional<Flaw> read_back(const VolumeFiles& files, const std::filesystem::path& checkpoint,
                                            const ReadBackBound& bound, const std::function<bool()>& goes_on);

}  // namespace reprise::agent
