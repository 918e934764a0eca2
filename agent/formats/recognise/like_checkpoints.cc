#include "agent/formats/recognise/like_checkpoints.h"

#include <algorithm>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/marker_names.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/numbered_state.h"
#include "agent/formats/names/step_directory.h"
#include "agent/formats/names/unjudged_name.h"
#include "agent/formats/structure/state_file.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {

void note_mark_without_step(const std::string& directory, std::string_view entry, SearchMemory::Directory& now) {
  constexpr std::string_view kNoStep =
      "marked as complete, and no step in its name; save each step in a directory with the step in its name";
  // Spark leaves these in data: no mark of a checkpoint
  const bool is_mark = entry == kMarkers[0] || entry == kMarkers[1];
  if (!is_mark || directory.empty() || step_of(directory) || !step_around(directory).empty()) return;
  now.files_unjudged[kNoStep].add(directory);
}

void note_if_alike(const std::string& path, SearchMemory::Directory& now) {
  if (const std::string_view why = why_unjudged(last_part(path)); !why.empty()) {
    if (step_around(path).empty()) now.files_unjudged[why].add(path);
    return;
  }
  const std::string_view stem = without_file_ending(last_part(path));
  if (!step_around(path).empty()) return;
  if (stem.size() < last_part(path).size() && names_checkpoint(stem)) return now.files_alike.add(path);
  const std::string_view stepless = now.is_stepless ? std::string_view() : why_stepless_is_none(path);
  for (const std::string_view why : {why_numbered_is_none(path), stepless})
    if (!why.empty()) now.files_unjudged[why].add(path);
}

void note_if_numbered(const std::string& path, const std::vector<DirectoryEntry>& entries,
                      SearchMemory::Directory& now) {
  const std::string_view why = why_numbered_directory_is_none(last_part(path));
  const auto holds_state = [](const DirectoryEntry& entry) {
    return entry.kind == FileInfo::Kind::File && is_named_as_state(entry.name) && !names_checkpoint(entry.name);
  };
  if (!why.empty() && step_around(path).empty() && std::ranges::any_of(entries, holds_state))
    now.files_unjudged[why].add(path);
}

std::vector<std::string> states_in(const SearchMemory& memory) {
  constexpr std::size_t kMost = 64;
  std::vector<std::string> paths;
  for (const auto& [path, directory] : memory.directories)
    if (directory.is_stepless && paths.size() < kMost) paths.push_back(path);
  for (const auto& [path, directory] : memory.directories)
    for (const std::string& name : directory.states)
      if (std::string whole = path.empty() ? name : path + "/" + name;
          paths.size() < kMost && !directory.is_stepless && step_around(whole).empty())
        paths.push_back(std::move(whole));
  return paths;
}

void note_if_stepless(const std::string& path, const std::vector<DirectoryEntry>& entries,
                      SearchMemory::Directory& now) {
  if (step_of(path) || !step_around(path).empty()) return;
  const auto any_ends = [&](std::string_view ending) {
    return std::ranges::any_of(entries, [&](const DirectoryEntry& each) { return each.name.ends_with(ending); });
  };
  now.is_stepless = !path.empty() && (any_ends(kMarkers[0]) || any_ends(kMarkers[1]));
  const std::string_view why = why_stepless_directory_is_none(any_ends);
  if (why.empty()) return;
  now.files_unjudged[why].add(path.empty() ? "." : path);
  now.is_stepless = !path.empty();
}

void note_if_hidden(const std::string& directory, const DirectoryEntry& entry, SearchMemory::Directory& now) {
  constexpr std::string_view kHiddenFile = "NotRecognised: a file whose name begins with a dot";
  constexpr std::size_t kMostHidden = 64;
  const bool is_own = entry.name == VolumeLayout::kOwn;
  if (entry.kind == FileInfo::Kind::Directory && !is_own && now.hidden.size() < kMostHidden)
    now.hidden.push_back(entry.name);
  const std::string_view name = std::string_view(entry.name).substr(1), stem = without_file_ending(name);
  const bool is_named = stem.size() < name.size() && names_checkpoint(stem);
  if (entry.kind == FileInfo::Kind::File && (is_named || !why_stepless_is_none(name).empty()))
    now.files_unjudged[kHiddenFile].add(directory.empty() ? entry.name : directory + "/" + entry.name);
}

void note_if_link(const std::string& path, SearchMemory::Directory& now) {
  constexpr std::string_view kLink =
      "NotRecognised: a link, which is not followed; save where it leads to, below spec.checkpoint.path";
  if (names_checkpoint(without_file_ending(last_part(path))) && step_around(path).empty())
    now.files_unjudged[kLink].add(path);
}

}  // namespace reprise::agent
