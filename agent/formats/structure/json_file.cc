#include "agent/formats/structure/json_file.h"

#include "agent/json/json.h"

namespace reprise::agent {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{64} << 20U;

}  // namespace

runtime::Result<JsonFile> read_json(const CheckedFile& file) {
  if (file.size == 0) return JsonFile{.flaw = Flaw{FlawKind::Incomplete, file.name + ": is empty"}, .object = {}};
  if (file.size > kLargest)
    return JsonFile{.flaw = Flaw{FlawKind::Corrupt, file.name + ": is larger than 64 MiB"}, .object = {}};
  const auto text = file.bytes(0, file.size);
  if (!text) return std::unexpected(text.error());
  auto object = parse_object(*text);
  if (!object) return JsonFile{.flaw = Flaw{FlawKind::Corrupt, file.name + ": is not a JSON object"}, .object = {}};
  return JsonFile{.flaw = std::nullopt, .object = std::move(*object)};
}

}  // namespace reprise::agent
