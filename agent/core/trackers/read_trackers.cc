#include "agent/core/trackers/read_trackers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "agent/core/generations/surroundings.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/step_directory.h"
#include "agent/formats/names/tracker_name.h"
#include "agent/formats/recognise/tracker_file.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// A library means one by these, or a script that writes nothing but a name into it.
constexpr std::array<std::string_view, 13> kKnown{"latest",
                                                  "LATEST",
                                                  "last",
                                                  "LAST",
                                                  "latest.txt",
                                                  "LATEST.txt",
                                                  "last.txt",
                                                  "LAST.txt",
                                                  "last_checkpoint",
                                                  "latest_checkpoint",
                                                  "latest_checkpoint.txt",
                                                  "checkpoint",
                                                  kMegatronTracker};
constexpr std::size_t kLongestText = 4'096, kMostInFolder = 64;
constexpr std::size_t kMostElsewhere = 64;  // directories that hold no checkpoint

int class_of_tracker(const std::string& file) {
  return is_known_tracker(file) ? 0 : is_called_newest(file) ? 1 : 2;
}

// Candidates, the sure ones first.
std::vector<std::string> candidates(const std::vector<DirectoryEntry>& entries, const std::string& folder) {
  // Files in a checkpoint are its own.
  const bool is_within_one = !step_around(folder.empty() ? "tracker" : folder + "/tracker").empty();
  std::vector<std::string> files;
  for (const DirectoryEntry& entry : entries) {
    if (entry.kind != FileInfo::Kind::File || entry.name.starts_with('.')) continue;
    const bool may_be = may_be_tracker(entry.name) && !may_hold_state(entry.name) && !is_within_one;
    if (may_be || is_known_tracker(entry.name)) files.push_back(entry.name);
  }
  std::ranges::stable_sort(files, {}, class_of_tracker);
  const auto first_of_others = std::ranges::find(files, 2, class_of_tracker);
  const auto others = static_cast<std::size_t>(files.end() - first_of_others);
  if (others > kMostInFolder) files.resize(files.size() - others + kMostInFolder);
  return files;
}

Result<std::optional<std::string>> small_text(const Volume& volume, const std::string& path) {
  const auto info = volume.files.look(volume.layout.root / path, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (!*info || (*info)->kind != FileInfo::Kind::File || (*info)->size > kLongestText) return std::nullopt;
  // A log that a file system shows under a name (JuiceFS) has size 0, and reading it has no end.
  if ((*info)->size == 0) return std::string();
  return volume.files.read(volume.layout.root / path);
}

}  // namespace

bool is_known_tracker(std::string_view file) {
  return std::ranges::find(kKnown, file) != kKnown.end();
}

std::set<std::string> folders_of(const Checkpoints& found, const PutAsideBefore& before) {
  std::set<std::string> folders{""};
  for (const Checkpoint& each : found) folders.emplace(directory_of(each.name));
  for (const std::string& each : before.paths()) folders.emplace(directory_of(each));
  return folders;
}

Result<References> read_references(const Volume& volume, const Checkpoints& found, const std::set<std::string>& more) {
  const auto before = read_put_aside_before(volume);
  if (!before) return std::unexpected(before.error());
  std::set<std::string> folders = folders_of(found, *before);
  for (const std::string& each : std::set(folders))
    for (std::string_view above = each; !above.empty(); above = directory_of(above)) folders.emplace(above);
  const std::set<std::string> usual = folders;
  for (const std::string& each : more)
    if (folders.size() < usual.size() + kMostElsewhere) folders.insert(each);
  References references;
  for (const std::string& folder : folders) {
    const bool is_elsewhere = !usual.contains(folder);
    const auto entries = volume.files.list_entries(volume.layout.root / folder);
    if (!entries && entries.error().error_class == runtime::ErrorClass::Invalid) continue;
    if (!entries) return std::unexpected(entries.error());
    const bool of_others =
        !folder.empty() && std::ranges::find(*entries, VolumeLayout::kOwn, &DirectoryEntry::name) != entries->end();
    if (of_others) continue;
    for (const std::string& name : candidates(*entries, folder)) {
      std::string path = folder.empty() ? name : folder + "/" + name;
      if (is_elsewhere && name.find_first_of("0123456789") != std::string::npos) continue;
      if (std::ranges::find(found, path, &Checkpoint::name) != found.end()) continue;
      const auto text = small_text(volume, path);
      const bool is_closed = !text && text.error().error_class == runtime::ErrorClass::Forbidden;
      if (is_closed && !is_known_tracker(name)) continue;
      if (!text) return std::unexpected(text.error());
      if (*text) references.trackers.push_back({.path = std::move(path), .text = **text});
    }
  }
  return references;
}

}  // namespace reprise::agent
