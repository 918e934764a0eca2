// Ranks that each have a volume of their own (access: PerIndex) resume from one step. Before the trainer an init
// container of each rank (kListContainer) lists the complete checkpoints of its volume in its termination message; the
// operator takes the newest step that all have and writes it as an annotation on each pod; the agents wait for that
// annotation (annotations.h) and load that step and no other.
// (docs/decisions/checkpoints/0087-common-step.md)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::protocol {

// The last init container of all. It runs `reprise-agent list-checkpoints` with the image, user, environment and mounts
// of the container that trains.
inline constexpr std::string_view kListContainer = "reprise-list-checkpoints";
// The newest are listed: the kubelet keeps 12 KiB of termination messages for all containers of a pod.
inline constexpr std::size_t kMostListedSteps = 40;

// Two volumes have one checkpoint in common if they have it under one name: a name with a date has the step of another
// one now and then.
struct ListedCheckpoint {
  std::int64_t step = 0;
  // Fingerprint of its path from the root of the volume, without the numbers of ranks and shards (the agent's
  // core/common_name.h): each rank may name its own save after itself.
  std::uint64_t name = 0;
  // True when something shows that it has reached the storage. A checkpoint for which nothing does, on a mount by FUSE
  // mostly, is resumed from all the same, and nobody deletes anything older for its sake.
  bool is_durable = true;
  // Left on a disk by an attempt whose end no agent saw, and never proven (agent/core/proofs/unproven.h): its bytes may
  // be others than were saved. Then it is not durable either.
  bool is_unproven = false;
  bool operator==(const ListedCheckpoint&) const = default;
};
// FNV-1a.
[[nodiscard]] std::uint64_t fingerprint(std::string_view name);
// 16 hexadecimal digits; nothing where the text is anything else.
[[nodiscard]] std::string encode_fingerprint(std::uint64_t name);
[[nodiscard]] std::optional<std::uint64_t> decode_fingerprint(std::string_view text);
// The fingerprint of a checkpoint in a record or a report: `told` where the agent says it, else the path's own.
[[nodiscard]] std::uint64_t fingerprint_of(std::string_view told, std::string_view path);

struct ListedCheckpoints {
  std::int32_t attempt = 0, index = 0;
  std::vector<ListedCheckpoint> checkpoints;  // complete ones, newest first, at most kMostListedSteps
  bool cut = false;                           // there are more, or the kubelet has cut the text
  // For people: what is there and what it lacks, where no checkpoint is complete.
  std::string unfit{};
  bool operator==(const ListedCheckpoints&) const = default;
};

// "reprise-checkpoints attempt=3 index=1 steps=300:1f9d0bc4a7e35d28?,200:...;", with a question mark behind what is not
// known to be durable, or an exclamation mark behind what is unproven; "steps=;" where there is none, and without the
// semicolon where there are more. "steps=; unfit=" and the text where there is one.
[[nodiscard]] std::string encode_listed_checkpoints(const ListedCheckpoints& listed);
// Returns nothing where the text is anything else, and the whole entries of a text that was cut.
[[nodiscard]] std::optional<ListedCheckpoints> decode_listed_checkpoints(std::string_view text);

// The step that all ranks resume from; empty: all start anew.
struct CommonStep {
  std::optional<std::int64_t> step;
  std::optional<std::uint64_t> name = {};  // fingerprint; empty: whatever its name
  bool is_durable = true;                  // on all volumes
  // Newer ones, up to this step, are on all volumes and unproven on some: no rank takes it for a loss that less is
  // resumed from than was expected (unproven.h).
  std::optional<std::int64_t> unproven_step = {};
  bool operator==(const CommonStep&) const = default;
};

// "300:1f9d0bc4a7e35d28", "300" or "none"; with a question mark behind it where it is not known to be durable, and
// "!400" where up to that step newer ones are unproven.
[[nodiscard]] std::string encode_common_step(const CommonStep& common);
[[nodiscard]] std::optional<CommonStep> decode_common_step(std::string_view text);

}  // namespace reprise::protocol
