#include "agent/formats/structure/saved_object.h"

#include <utility>

#include "agent/formats/structure/zip_archive.h"

namespace reprise::agent {

runtime::Result<std::optional<SavedObject>> read_saved_object(const CheckedFile& file) {
  constexpr std::uint64_t kMost = std::uint64_t{16} << 20U;
  auto bytes = read_member(file, "/data.pkl", kMost);
  if (!bytes) return std::unexpected(std::move(bytes).error());
  if (!*bytes) return std::nullopt;
  SavedObject saved{.bytes = std::make_unique<const std::string>(**std::move(bytes)), .nodes = {}};
  auto nodes = read_pickle(*saved.bytes);
  if (!nodes || nodes->empty()) return std::nullopt;
  saved.nodes = *std::move(nodes);
  return saved;
}

}  // namespace reprise::agent
