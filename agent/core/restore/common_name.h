// Chooses the name under which ranks with a volume each have one save in common (protocol/common_checkpoint.h). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reprise::agent {

// The path of a checkpoint from the root of its volume, without the numbers of ranks and shards: on each volume a save
// of one rank may be called after that rank ("checkpoint_100_rank3.pt"). A path without such numbers stays as it is.
[[nodiscard]] std::string name_in_common(std::string_view path);

// Its fingerprint, by which lists and the operator compare what ranks have.
[[nodiscard]] std::uint64_t fingerprint_in_common(std::string_view path);

// The text for records and reports: that fingerprint as text, where the path says it not itself; else empty.
[[nodiscard]] std::string told_in_common(std::string_view path);

}  // namespace reprise::agent
