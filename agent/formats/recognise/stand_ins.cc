#include "agent/formats/recognise/stand_ins.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/last_file.h"
#include "agent/formats/layouts/lightning/lightning.h"
#include "agent/formats/structure/state_file.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kPlain = "Plain";

bool is_numbered(const FoundCheckpoint& found) {
  const bool is_of_those = found.format == LightningLayout().name() || found.format == kPlain;
  return is_of_those && !found.judgement.flaw && !is_stand_in(found);
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

bool is_named_as_stand_in(std::string_view name) {
  return is_lightnings_last(name) || is_named_last(name);
}

bool is_stand_in(const FoundCheckpoint& found) {
  const std::string_view name = last_part(found.path);
  return (found.format == LightningLayout().name() && is_lightnings_last(name)) ||
         (found.format == kPlain && is_named_last(name));
}

std::vector<FoundCheckpoint> take_stand_ins(std::vector<FoundCheckpoint>& found) {
  if (std::ranges::none_of(found, is_stand_in)) return {};
  std::set<std::pair<std::string_view, std::string>> numbered;
  for (const FoundCheckpoint& each : found)
    if (is_numbered(each)) numbered.emplace(each.format, directory_of(each.path));
  const auto rest = std::ranges::stable_partition(found, [&](const FoundCheckpoint& each) {
    return !is_stand_in(each) || !numbered.contains({each.format, std::string(directory_of(each.path))});
  });
  std::vector<FoundCheckpoint> taken(std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
  found.erase(rest.begin(), rest.end());
  return taken;
}

}  // namespace reprise::agent
