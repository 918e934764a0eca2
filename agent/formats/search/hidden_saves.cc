#include "agent/formats/search/hidden_saves.h"

#include <deque>
#include <string>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/marker_names.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/numbered_state.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kHidden =
    "NotRecognised: in a directory whose name begins with a dot, which is not looked into; save in another one";
constexpr std::size_t kMostHiddenListed = 64;
constexpr int kDeepestHidden = 4;

bool is_like_save(const DirectoryEntry& entry) {
  if (entry.kind == FileInfo::Kind::Directory) return names_checkpoint(entry.name);
  const std::string_view stem = without_file_ending(entry.name);
  const bool is_named = stem.size() < entry.name.size() && names_checkpoint(stem);
  return entry.kind == FileInfo::Kind::File && (is_named || !why_stepless_is_none(entry.name).empty());
}

Unsearched::Some look_into_hidden(const VolumeFiles& files, const std::filesystem::path& root,
                                  const SearchMemory& memory) {
  struct Place {
    std::string path;
    int depth;
  };
  std::deque<Place> places;
  for (const auto& [path, directory] : memory.directories)
    for (const std::string& name : directory.hidden)
      places.push_back({.path = path.empty() ? name : path + "/" + name, .depth = 0});
  Unsearched::Some noted;
  for (std::size_t listed = 0; !places.empty() && listed < kMostHiddenListed; ++listed) {
    const Place here = std::move(places.front());
    places.pop_front();
    const auto entries = files.list_entries(root / here.path);
    if (!entries) continue;  // its entries stay hidden: nothing in it would count
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = here.path + "/" + entry.name;
      if (entry.name == kMarkers[0] || entry.name == kMarkers[1]) noted.add(here.path);
      if (is_like_save(entry))
        noted.add(path);
      else if (entry.kind == FileInfo::Kind::Directory && here.depth < kDeepestHidden)
        places.push_back({.path = path, .depth = here.depth + 1});
    }
  }
  return noted;
}

}  // namespace

void note_hidden_saves(const VolumeFiles& files, const std::filesystem::path& root, const SearchLimits& limits,
                       SearchMemory& memory) {
  if (memory.looks_since_hidden == 0 || memory.looks_since_hidden >= limits.looks_until_listed_again) {
    memory.hidden = look_into_hidden(files, root, memory);
    memory.looks_since_hidden = 0;
  }
  ++memory.looks_since_hidden;
  if (memory.hidden.count > 0) memory.not_taken.unjudged[kHidden] = memory.hidden;
}

}  // namespace reprise::agent
