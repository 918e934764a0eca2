#include "agent/core/stand_ins_beside.h"

#include <algorithm>
#include <set>
#include <string>

#include "agent/core/generations/surroundings.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/lightning.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// "checkpoint_last.pt", "latest-rank0.pt": a word of its own.
bool says_last(std::string_view name) {
  for (const std::string_view word : {std::string_view("last"), std::string_view("latest")}) {
    const std::size_t at = name.find(word);
    if (at == std::string_view::npos) continue;
    const auto is_letter = [&](std::size_t where) {
      return where < name.size() &&
             ((name[where] >= 'a' && name[where] <= 'z') || (name[where] >= 'A' && name[where] <= 'Z'));
    };
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  }
  return false;
}

bool stands_in(const DirectoryEntry& entry) {
  if (entry.kind == FileInfo::Kind::Directory) return is_lightnings_last(entry.name);
  return entry.kind == FileInfo::Kind::File && may_hold_state(entry.name) &&
         (is_lightnings_last(entry.name) || (says_last(entry.name) && !step_of(entry.name)));
}

}  // namespace

Result<Checkpoints> stand_ins_beside(const Volume& volume, const Checkpoints& found) {
  std::set<std::string> folders, known;
  for (const Checkpoint& each : found) {
    folders.emplace(directory_of(each.name));
    known.insert(each.name);
  }
  Checkpoints beside;
  for (const std::string& folder : folders) {
    const auto entries = volume.files.list_entries(volume.layout.root / folder);
    if (!entries) return std::unexpected(entries.error());
    for (const DirectoryEntry& entry : *entries) {
      std::string name = folder.empty() ? entry.name : folder + "/" + entry.name;
      if (!stands_in(entry) || known.contains(name)) continue;
      const auto completed = volume.format->completed(volume.files, volume.layout.root / name);
      if (!completed) return std::unexpected(completed.error());
      beside.push_back({.name = std::move(name),
                        .complete = completed->has_value(),
                        .time = completed->value_or(runtime::WallTime{})});
    }
  }
  return beside;
}

}  // namespace reprise::agent
