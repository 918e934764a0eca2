#include "agent/core/generations/side_files.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 15> kSideEndings{".json", ".yaml", ".yml",    ".txt",  ".meta",
                                                        ".info", ".toml", ".done",   ".ok",   ".complete",
                                                        ".sum",  ".md5",  ".sha256", ".sha1", ".crc32"};

std::string_view side_ending(std::string_view file) {
  const auto ends = [&](std::string_view ending) { return file.size() > ending.size() && file.ends_with(ending); };
  const auto found = std::ranges::find_if(kSideEndings, ends);
  return found == kSideEndings.end() ? std::string_view() : *found;
}

// "step_#.pt" and ".json"
std::set<std::string> kinds_of_sides(const Generation& generation, const std::vector<std::string>& sides) {
  std::set<std::string> kinds;
  for (const Generation::Part& part : generation.parts)
    for (const std::string& file : sides)
      if (is_called_as_side_of(file, part.name))
        kinds.insert(part.says.kind + (file.starts_with(part.name) ? "+" : "") + std::string(side_ending(file)));
  return kinds;
}

}  // namespace

bool may_be_side_file(std::string_view file) {
  return !side_ending(file).empty();
}

bool is_called_as_side_of(std::string_view file, std::string_view checkpoint) {
  const std::string_view ending = side_ending(file);
  const std::string_view name = file.substr(0, file.size() - ending.size());
  return !ending.empty() && (name == checkpoint || name == without_file_ending(checkpoint));
}

runtime::Result<std::vector<std::string>> side_files_of(const Volume& volume, const Generation& generation,
                                                        const Checkpoints& found, const Surroundings& around) {
  constexpr std::chrono::hours kLongestSave{1};
  constexpr std::chrono::seconds kRightBehind{60};
  std::vector<std::string> sides;
  for (const Generation::Part& part : generation.parts) {
    const auto checkpoint = std::ranges::find(found, part.name, &Checkpoint::name);
    if (checkpoint == found.end()) continue;
    for (const std::string& file : around.sides) {
      if (!is_called_as_side_of(file, part.name) || std::ranges::find(sides, file) != sides.end()) continue;
      const auto info = volume.files.look(volume.layout.root / file, Links::Stay);
      if (!info) return std::unexpected(info.error());
      const bool is_file = *info && (*info)->kind == FileInfo::Kind::File;
      const bool was_written_with_it = is_file && (*info)->modified >= checkpoint->time - kLongestSave &&
                                       (*info)->modified <= checkpoint->time + kRightBehind;
      if (was_written_with_it) sides.push_back(file);
    }
  }
  return sides;
}

std::string lacking_side(const Generation& generation, const std::vector<std::string>& sides,
                         const std::vector<Generation>& newer, std::int32_t keep, const Surroundings& around) {
  const auto kinds = kinds_of_sides(generation, sides);
  if (kinds.empty()) return {};
  std::int32_t have_all = 0;
  for (const Generation& each : newer) {
    if (each.step <= generation.step || !has_parts_of(each, generation)) continue;
    if (std::ranges::includes(kinds_of_sides(each, around.sides), kinds)) ++have_all;
  }
  return have_all < keep ? sides.front() : std::string();
}

}  // namespace reprise::agent
