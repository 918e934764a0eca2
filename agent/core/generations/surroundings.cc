#include "agent/core/generations/surroundings.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "agent/core/generations/halves/words/words_of_parts.h"
#include "agent/core/generations/side_files.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/marker_names.h"
#include "agent/formats/names/copied_name.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/tracker_name.h"
#include "agent/formats/structure/state_file.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {
namespace {

using runtime::ErrorClass;
using runtime::Result;

constexpr std::array<std::string_view, 12> kStateEndings{".pt",   ".pth",     ".bin",    ".safetensors",
                                                         ".ckpt", ".distcp",  ".optim",  ".state",
                                                         ".h5",   ".msgpack", ".pt.tar", ".pth.tar"};
constexpr std::size_t kMostDirectories = 1'024, kMostEntries = 20'000, kMostLevels = 8;
// Hidden directories of tools have many more: a repository, an environment of Python's.
constexpr std::size_t kMostHidden = 16'384, kMostHiddenLevels = 24;
constexpr std::string_view kLostAndFound = "lost+found";  // the file system's own
// Directories of NetApp and others, of Btrfs' tools, of ZFS: they hold past contents.
constexpr std::array<std::string_view, 3> kPast{".snapshot", ".snapshots", ".zfs"};

// True in a directory that is called as a copy, or called so itself: no part of the save that it is a copy of.
bool lies_in_copy(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (names_copy(path.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

// "step_10_predictions.npy" is what a training has brought forth, and no part of a save.
bool may_be_of_save(std::string_view file) {
  if (may_hold_state(file)) return true;
  Words words;
  for (const NamePart& part : parts_of_name(file))
    if (!part.is_number) words.insert(part.text);
  return is_named_as_state(file) && !say_output(words) && !say_copy(words, {});
}

// "best.txt", "pinned.json": one with a number is of a save or of a result, and there are many.
bool may_name_one(std::string_view file) {
  return may_be_tracker(file) && !may_hold_state(file) && file.find_first_of("0123456789") == std::string_view::npos;
}

bool is_mark(const DirectoryEntry& entry) {
  return std::ranges::find(kMarkers, entry.name) != kMarkers.end();
}

class Walk {
 public:
  Walk(const Volume& volume, const Checkpoints& found, Hidden hidden)
      : volume_(volume), looks_for_hidden_(hidden == Hidden::LookForLinks && volume.files.may_have_links()) {
    for (const Checkpoint& each : found) checkpoints_.insert(each.name);
  }

  Result<Surroundings> run() {
    std::size_t looked_at = 0;
    for (waiting_.push_back({}); !waiting_.empty(); waiting_.pop_front()) {
      if (++looked_at > kMostDirectories) {
        around_.cut_short = "more than " + std::to_string(kMostDirectories) + " directories are on the volume";
        break;
      }
      if (auto done = look_into(waiting_.front()); !done) return std::unexpected(done.error());
    }
    for (std::size_t looked_into = 0; !hidden_.empty(); hidden_.pop_front()) {
      if (++looked_into > kMostHidden) {
        around_.cut_short =
            "more than " + std::to_string(kMostHidden) + " directories are hidden, " + hidden_.front() + " among them";
        break;
      }
      if (auto done = look_into_hidden(hidden_.front()); !done) return std::unexpected(done.error());
    }
    return std::move(around_);
  }

 private:
  Result<void> look_into(const std::string& directory) {
    const auto entries = volume_.files.list_entries(volume_.layout.root / directory);
    if (!entries && entries.error().error_class == ErrorClass::Forbidden && !directory.empty()) {
      if (last_part(directory) != kLostAndFound) around_.cut_short = "this user may not read " + directory;
      return {};
    }
    if (!entries) return std::unexpected(entries.error());
    if (entries->size() > kMostEntries && !directory.empty()) {
      around_.cut_short = directory + " holds more than " + std::to_string(kMostEntries) + " entries";
      return {};
    }
    const bool is_save = std::ranges::any_of(*entries, is_mark);  // also one that the last look has not seen
    for (const DirectoryEntry& entry : *entries) {
      std::string path = directory.empty() ? entry.name : directory + "/" + entry.name;
      if (entry.name == VolumeLayout::kOwn && entry.kind == FileInfo::Kind::Directory && !directory.empty())
        around_.of_others.insert(directory);
      if (checkpoints_.contains(path)) continue;
      if (entry.name.starts_with('.')) {
        note_hidden(directory, entry, std::move(path));
        continue;
      }
      if (entry.kind == FileInfo::Kind::Other) around_.links.push_back(path);
      if (entry.kind == FileInfo::Kind::File && may_be_of_save(entry.name) && !lies_in_copy(path))
        around_.state.push_back(path);
      if (entry.kind == FileInfo::Kind::File && may_be_side_file(entry.name)) around_.sides.push_back(path);
      if (entry.kind == FileInfo::Kind::File && !is_save && may_name_one(entry.name))
        around_.with_texts.insert(directory);
      if (entry.kind != FileInfo::Kind::Directory) continue;
      if (static_cast<std::size_t>(std::ranges::count(path, '/')) < kMostLevels)
        waiting_.push_back(std::move(path));
      else
        around_.cut_short = path + " lies more than " + std::to_string(kMostLevels) + " levels down";
    }
    return {};
  }

  void note_hidden(const std::string& directory, const DirectoryEntry& entry, std::string path) {
    if (!looks_for_hidden_) return;
    if (entry.kind == FileInfo::Kind::Other) around_.hidden.insert(directory);
    const bool is_past = std::ranges::find(kPast, entry.name) != kPast.end() || entry.name == VolumeLayout::kOwn;
    if (entry.kind == FileInfo::Kind::Directory && !is_past) hidden_.push_back(std::move(path));
  }

  // An entry that goes away meanwhile led nowhere.
  Result<void> look_into_hidden(const std::string& directory) {
    const auto entries = volume_.files.list_entries(volume_.layout.root / directory);
    if (!entries && entries.error().error_class == ErrorClass::Forbidden) {
      around_.cut_short = "this user may not read " + directory;
      return {};
    }
    if (!entries && entries.error().error_class == ErrorClass::Invalid) return {};
    if (!entries) return std::unexpected(entries.error());
    for (const DirectoryEntry& entry : *entries) {
      if (entry.kind == FileInfo::Kind::Other) around_.hidden.insert(directory);
      if (entry.kind != FileInfo::Kind::Directory) continue;
      std::string path = directory + "/" + entry.name;
      if (static_cast<std::size_t>(std::ranges::count(path, '/')) < kMostHiddenLevels)
        hidden_.push_back(std::move(path));
      else
        around_.cut_short = path + " lies more than " + std::to_string(kMostHiddenLevels) + " levels down";
    }
    return {};
  }

  const Volume& volume_;
  bool looks_for_hidden_;
  std::set<std::string> checkpoints_;
  std::deque<std::string> waiting_, hidden_;
  Surroundings around_;
};

}  // namespace

bool may_hold_state(std::string_view file) {
  return std::ranges::any_of(kStateEndings, [&](std::string_view ending) { return file.ends_with(ending); });
}

std::set<std::string> Surroundings::folders_with_links() const {
  std::set<std::string> folders = hidden;
  for (const std::string& each : links) folders.emplace(directory_of(each));
  return folders;
}

Result<Surroundings> look_around(const Volume& volume, const Checkpoints& found, Hidden hidden) {
  return Walk(volume, found, hidden).run();
}

std::string left_behind_by(const Generation& generation, const Surroundings& around) {
  std::set<std::string_view> folders;
  for (const auto& part : generation.parts) folders.insert(directory_of(part.name));
  const auto left = std::ranges::find_if(around.state, [&](const std::string& file) {
    return may_be_of_step(file, generation.step, folders.contains(directory_of(file)));
  });
  return left == around.state.end() ? std::string() : *left;
}

}  // namespace reprise::agent
