#include "agent/formats/recognise/unfinished_signs.h"

#include <set>
#include <string>
#include <string_view>

#include "agent/formats/names/unfinished_name.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// Other files of such a name hold something: a part of a file, say, that was to be renamed.
Result<bool> is_sign(const VolumeFiles& files, const std::filesystem::path& sign) {
  const auto info = files.look(sign, Links::Stay);
  if (!info && (says_lost(info.error()) || info.error().error_class == runtime::ErrorClass::Forbidden)) return true;
  if (!info) return std::unexpected(info.error());
  return *info && (*info)->kind == FileInfo::Kind::File && (*info)->size == 0;
}

Flaw flaw_by(std::string_view sign) {
  return {.kind = FlawKind::Incomplete, .reason = std::string(sign) + ": is the sign of a save that did not end"};
}

}  // namespace

Flawed flaw_of_sign(const VolumeFiles& files, const std::filesystem::path& checkpoint) {
  const auto beside = checkpoint.parent_path().parent_path();
  for (const std::string& sign : signs_of_unfinished(checkpoint.lexically_relative(beside).string())) {
    const auto says_so = is_sign(files, beside / sign);
    if (!says_so) return std::unexpected(says_so.error());
    if (*says_so) return flaw_by(sign);
  }
  return std::nullopt;
}

Result<void> mark_unfinished(const VolumeFiles& files, const std::filesystem::path& root, SearchMemory& memory,
                             std::vector<FoundCheckpoint>& found) {
  std::set<std::string> signs;
  for (const auto& [directory, seen] : memory.directories)
    for (const std::string& name : seen.signs) signs.insert(directory.empty() ? name : directory + "/" + name);
  if (signs.empty()) return {};
  for (FoundCheckpoint& each : found) {
    if (each.judgement.flaw) continue;
    for (const std::string& sign : signs_of_unfinished(each.path)) {
      if (!signs.contains(sign)) continue;
      const auto says_so = is_sign(files, root / sign);
      if (!says_so) return std::unexpected(says_so.error());
      if (*says_so) each.judgement.flaw = flaw_by(sign);
    }
    if (each.judgement.flaw) memory.complete.erase(each.path);
  }
  return {};
}

}  // namespace reprise::agent
