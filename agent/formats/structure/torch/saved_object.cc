#include "agent/formats/structure/torch/saved_object.h"

#include <utility>

#include "agent/formats/structure/torch/thin_pickle.h"
#include "agent/formats/structure/torch/torch_file.h"

namespace reprise::agent {
namespace {

constexpr std::uint64_t kMostOfObject = std::uint64_t{16} << 20U;

}  // namespace

runtime::Result<std::optional<SavedObject>> read_saved_object(const CheckedFile& file) {
  const auto object = find_saved_pickle(file);
  if (!object) return std::unexpected(object.error());
  if (!*object) return std::nullopt;
  runtime::Result<std::optional<std::string>> bytes;
  if ((*object)->size > kMostOfObject)
    bytes = thin_pickle(**object, kMostOfObject);
  else
    bytes = (*object)->bytes(0, (*object)->size);
  if (!bytes) return std::unexpected(std::move(bytes).error());
  if (!*bytes) return std::nullopt;
  SavedObject saved{.bytes = std::make_unique<const std::string>(**std::move(bytes)), .nodes = {}};
  auto nodes = read_pickle(*saved.bytes);
  if (!nodes || nodes->empty()) return std::nullopt;
  saved.nodes = *std::move(nodes);
  return saved;
}

runtime::Result<bool> is_large_saved_object(const CheckedFile& file) {
  const auto object = find_saved_pickle(file);
  if (!object) return std::unexpected(object.error());
  return *object && (*object)->size > kMostOfObject;
}

}  // namespace reprise::agent
