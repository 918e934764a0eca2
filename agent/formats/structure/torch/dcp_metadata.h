// The file `.metadata` of torch.distributed.checkpoint: which bytes of which file belong to the checkpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::agent {

struct StoredPiece {
  std::uint64_t offset = 0, length = 0;
  [[nodiscard]] std::uint64_t end() const { return offset + length; }
  auto operator<=>(const StoredPiece&) const = default;
};

// The pieces of each file below the checkpoint, by their place; nothing when the text is no such metadata or is cut
// off.
using StoredFiles = std::map<std::string, std::vector<StoredPiece>, std::less<>>;
[[nodiscard]] std::optional<StoredFiles> files_in_metadata(std::string_view pickle);

}  // namespace reprise::agent
