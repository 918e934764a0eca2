#include "agent/formats/stand_ins.h"

#include <algorithm>
#include <set>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/lightning.h"
#include "agent/formats/structure/state_file.h"

namespace reprise::agent {
namespace {

bool is_numbered(const FoundCheckpoint& found) {
  return found.format == LightningLayout().name() && !found.judgement.flaw && !is_stand_in(found);
}

}  // namespace

runtime::Result<bool> is_cut_off(const VolumeFiles& files, const std::filesystem::path& file, const FileInfo& info) {
  constexpr std::size_t kBeginning = 4'096;
  if (info.kind != FileInfo::Kind::File) return false;
  if (info.size == 0) return true;
  const auto beginning = files.read_range(file, 0, kBeginning);
  if (!beginning) return std::unexpected(beginning.error());
  if (beginning->find_first_not_of('\0') == std::string::npos) return true;
  const auto flaw =
      check_state_file({.files = files, .path = file, .name = file.filename().string(), .size = info.size});
  if (!flaw) return std::unexpected(flaw.error());
  return flaw->has_value();
}

bool is_stand_in(const FoundCheckpoint& found) {
  return found.format == LightningLayout().name() && is_lightnings_last(last_part(found.path));
}

bool has_numbered(const std::vector<FoundCheckpoint>& found, const std::string& directory) {
  return std::ranges::any_of(
      found, [&](const FoundCheckpoint& each) { return is_numbered(each) && directory_of(each.path) == directory; });
}

std::vector<FoundCheckpoint> without_stand_ins(std::vector<FoundCheckpoint> found) {
  if (std::ranges::none_of(found, is_stand_in)) return found;
  std::set<std::string, std::less<>> directories;
  for (const FoundCheckpoint& each : found)
    if (is_numbered(each)) directories.emplace(directory_of(each.path));
  std::erase_if(found, [&](const FoundCheckpoint& each) {
    return is_stand_in(each) && directories.contains(directory_of(each.path));
  });
  return found;
}

}  // namespace reprise::agent
