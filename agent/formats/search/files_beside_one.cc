#include "agent/formats/search/files_beside_one.h"

#include <iterator>
#include <map>
#include <optional>

#include "agent/formats/layouts/parts_by_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/copied_name.h"
#include "agent/formats/names/unfinished_name.h"

namespace reprise::agent {

runtime::Result<void> note_files_beside(const std::string& directory, const std::vector<std::string>& files,
                                        std::span<FoundCheckpoint> found, const IsWhole& is_whole) {
  constexpr std::size_t kMostBeside = 4'096;  // more are data
  if (files.empty() || files.size() > kMostBeside) return {};
  std::map<std::int64_t, FoundCheckpoint*> by_step;
  for (FoundCheckpoint& each : found) {
    const auto step = each.judgement.flaw ? std::nullopt : read_save_name(each.path).likely;
    if (!step) continue;
    FoundCheckpoint*& of_step = by_step[*step];
    if (of_step == nullptr || each.path.size() < of_step->path.size()) of_step = &each;
  }
  if (by_step.empty()) return {};
  const auto newest = std::prev(by_step.end());
  const std::int64_t recent_from = newest == by_step.begin() ? newest->first : std::prev(newest)->first;
  std::map<FoundCheckpoint*, PartsByName> beside;
  for (const std::string& name : files) {
    if (names_unfinished_save(name) || names_copy(name)) continue;
    const std::string path = directory.empty() ? name : directory + "/" + name;
    const auto step = read_save_name(path).likely;
    const auto of_step = step ? by_step.find(*step) : by_step.end();
    if (of_step == by_step.end()) continue;
    const auto whole = is_whole(path, *step >= recent_from);
    if (!whole) return std::unexpected(whole.error());
    if (*whole) beside[of_step->second].add(path);
  }
  for (const auto& [checkpoint, parts] : beside) checkpoint->judgement.state = parts.kinds();
  return {};
}

}  // namespace reprise::agent
