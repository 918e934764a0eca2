#include "agent/formats/like_checkpoints.h"

#include <algorithm>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/marker_names.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/numbered_state.h"
#include "agent/formats/names/step_directory.h"
#include "agent/formats/names/unjudged_name.h"
#include "agent/formats/structure/state_file.h"

namespace reprise::agent {

void note_mark_without_step(const std::string& directory, std::string_view entry, SearchMemory::Directory& now) {
  constexpr std::string_view kNoStep =
      "marked as complete, and no step in its name; save each step in a directory with the step in its name";
  const bool is_mark = entry == kMarkers[0] || entry == kMarkers[1];  // what Spark leaves in data is none
  if (is_mark && !directory.empty() && !step_of(directory) && step_around(directory).empty())
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
  if (const std::string_view why = why_numbered_is_none(path); !why.empty()) now.files_unjudged[why].add(path);
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

}  // namespace reprise::agent
