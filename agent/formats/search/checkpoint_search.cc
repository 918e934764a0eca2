#include "agent/formats/search/checkpoint_search.h"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/copied_name.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/numbered_state.h"
#include "agent/formats/names/step_directory.h"
#include "agent/formats/names/unfinished_name.h"
#include "agent/formats/recognise/like_checkpoints.h"
#include "agent/formats/recognise/stand_ins.h"
#include "agent/formats/recognise/unfinished_signs.h"
#include "agent/formats/recognise/weights_alone.h"
#include "agent/formats/search/files_beside_one.h"
#include "agent/formats/search/hidden_saves.h"
#include "agent/formats/search/nested_checkpoints.h"
#include "agent/formats/structure/state_file.h"
#include "agent/formats/verify/contents_digest.h"
#include "agent/formats/verify/lost_bytes.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {
namespace {

using runtime::Result;
using Path = std::filesystem::path;
using Directory = SearchMemory::Directory;

// Of the file system itself, and closed to all but root.
constexpr std::string_view kLostAndFound = "lost+found";

// The root of another job's volume, whose agent keeps its files there.
bool belongs_to_others(const std::vector<DirectoryEntry>& entries) {
  return std::ranges::any_of(entries, [](const DirectoryEntry& entry) {
    return entry.name == VolumeLayout::kOwn && entry.kind == FileInfo::Kind::Directory;
  });
}

bool same(const FileInfo& a, const FileInfo& b) {
  return a.kind == b.kind && a.modified == b.modified && a.size == b.size;
}

std::string below(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : directory + "/" + name;
}

constexpr std::size_t kMostLoose = kMostPieces + 1;  // in one directory: enough to tell that there are too many
constexpr std::size_t kMostStates = 16;              // the same, for people

bool bears_number(std::string_view path) {
  return path.find_first_of("0123456789") != std::string_view::npos;
}

class Search {
 public:
  Search(const VolumeFiles& files, const Layouts& layouts, const Path& root, const SearchLimits& limits,
         const SearchMemory& before)
      : files_(files), layouts_(layouts), root_(root), limits_(limits), before_(before) {
    memory.unseen = before.unseen;
    for (const auto& [path, each] : before.complete) {
      if (!step_around(path).empty() || is_place_of_unfinished(directory_of(path))) continue;  // a part of one, or none
      if (names_copy(last_part(path)) || is_place_of_copies(directory_of(path))) continue;
      if (before.stand_ins.contains(path)) continue;
      if (!newest_ || order_in_time(each.found) > order_in_time(before.complete.at(*newest_).found)) newest_ = path;
    }
  }

  Result<void> run() {
    const auto info = files_.look(root_, Links::Follow);
    if (!info) return std::unexpected(info.error());
    if (!*info) return std::unexpected(system_error("read " + root_.string(), ENOENT));
    auto entries = files_.list_entries(root_);
    if (!entries) return std::unexpected(entries.error());
    if (auto done = take_entries({.path = {}, .modified = (*info)->modified, .depth = 0}, *entries); !done) return done;
    for (std::size_t named = 0, others = 1;;) {
      const bool is_named = !likely_.empty() && named < limits_.named_like_checkpoints;
      std::deque<Waiting>& queue = is_named ? likely_ : !waiting_.empty() ? waiting_ : crowd_;
      if (queue.empty()) return {};
      if (!is_named && others >= limits_.directories) {
        memory.unsearched.beyond.add(queue.front().path, likely_.size() + waiting_.size() + crowd_.size());
        for (const auto* left : {&likely_, &waiting_, &crowd_})
          for (const Waiting& each : *left) memory.unseen.insert(each.path);
        return {};
      }
      Waiting next = std::move(queue.front());
      queue.pop_front();
      const std::size_t before = found.size();
      if (auto done = search(std::move(next)); !done) return done;
      // A checkpoint costs what it costs; what is none, or one by its name alone, may be data.
      if (found.size() == before || is_one_by_name_alone(found.back())) ++(is_named ? named : others);
    }
  }

  // Each takes a call, so of few.
  Result<void> tell_of_rolling_files() {
    constexpr std::size_t kMostRolling = 8;
    for (const auto& [directory, seen] : memory.directories) {
      const auto newest = newest_file_in(directory);
      if (!newest || seen.rolling.size() > kMostRolling) continue;
      for (const std::string& name : seen.rolling) {
        const auto info = look(root_ / below(directory, name), Links::Stay);
        if (!info && says_lost(info.error())) continue;
        if (!info) return std::unexpected(info.error());
        if (*info && (*info)->kind == FileInfo::Kind::File && (*info)->modified > *newest)
          memory.not_taken.newer.add(below(directory, name));
      }
    }
    return {};
  }

  std::vector<FoundCheckpoint> found;
  SearchMemory memory;

 private:
  [[nodiscard]] std::optional<runtime::WallTime> newest_file_in(const std::string& directory) const {
    std::optional<runtime::WallTime> newest;
    for (const FoundCheckpoint& each : found)
      if (!each.judgement.flaw && each.itself.kind == FileInfo::Kind::File && directory_of(each.path) == directory)
        newest = std::max(newest.value_or(each.judgement.completed), each.judgement.completed);
    return newest;
  }

  // A directory below the root.
  struct Waiting {
    std::string path;
    runtime::WallTime modified;  // once it is looked at
    int depth;
  };

  Result<void> search(Waiting here) {
    const auto info = look(root_ / here.path, Links::Stay);
    if (!info && says_lost(info.error())) {
      keep_lost(here.path, FileInfo::Kind::Directory, info.error());
      return {};
    }
    if (!info) return std::unexpected(info.error());
    if (!*info || (*info)->kind != FileInfo::Kind::Directory) return {};  // since the listing
    here.modified = (*info)->modified;
    const auto is_taken = take_unchanged(here.path, **info);
    if (!is_taken || *is_taken) return is_taken ? Result<void>() : std::unexpected(is_taken.error());
    if (const Directory* known = unchanged(here)) {
      Directory& now = memory.directories[here.path] = *known;
      ++now.looks_unchanged;
      if (known->is_crowded) memory.unsearched.crowded.add(here.path);
      tell_of_files(*known);
      wait_for(here, known->directories);
      return {};
    }
    auto seen = look_at_checkpoint(files_, layouts_, root_ / here.path, std::string(last_part(here.path)), **info);
    if (!seen) return std::unexpected(seen.error());
    if (belongs_to_others(seen->entries) && !limits_.enters_volumes_of_others) {
      memory.not_taken.of_others.add(here.path);
      memory.unseen.insert(here.path);
      return {};
    }
    if (seen->is_closed && last_part(here.path) != kLostAndFound) note_closed(here.path);
    if (seen->lost && !seen->checkpoint) {
      note_lost(here.path);
      return {};
    }
    if (!seen->checkpoint && names_checkpoint(here.path) && step_around(here.path).empty())
      memory.not_taken.unlike.add(here.path);
    if (!seen->checkpoint || is_one_by_name_alone(*seen->checkpoint)) {
      if (auto taken = take_entries(here, seen->entries); !taken) return taken;
    }
    return seen->checkpoint ? keep(here.path, *std::move(seen->checkpoint)) : Result<void>();
  }

  // The time of a change may be as coarse as the time between two looks: only what was listed twice with the same time
  // is believed. Where checkpoints lie, and what is named like one, is read each time.
  [[nodiscard]] const Directory* unchanged(const Waiting& here) const {
    const auto known = before_.directories.find(here.path);
    if (known == before_.directories.end()) return nullptr;
    const Directory& directory = known->second;
    const bool may_be_believed = directory.modified == here.modified && directory.looks_unchanged > 0 &&
                                 directory.looks_unchanged < limits_.looks_until_listed_again;
    const bool may_hold_one = directory.holds_checkpoints || names_checkpoint(last_part(here.path));
    return may_be_believed && !may_hold_one ? &directory : nullptr;
  }

  Result<void> take_entries(const Waiting& here, const std::vector<DirectoryEntry>& entries) {
    const auto known = before_.directories.find(here.path);
    const bool listed_twice = known != before_.directories.end() && known->second.modified == here.modified;
    Directory& now = memory.directories[here.path];
    now.modified = here.modified;
    now.looks_unchanged = listed_twice && known->second.looks_unchanged == 0 ? 1 : 0;
    if (here.depth > 0 && entries.size() > limits_.entries) {
      memory.unsearched.crowded.add(here.path);
      memory.unseen.insert(here.path);
      now.is_crowded = true;
      return {};
    }
    std::vector<std::string> states;
    const std::size_t before_files = found.size();
    note_if_numbered(here.path, entries, now);
    note_if_stepless(here.path, entries, now);
    for (const DirectoryEntry& entry : entries) {
      note_mark_without_step(here.path, entry.name, now);
      const bool is_of_data = entry.kind == FileInfo::Kind::Directory && names_training_data(entry.name);
      if (entry.name.starts_with('.') && !is_of_data) {
        note_if_hidden(here.path, entry, now);
        continue;
      }
      if (entry.kind == FileInfo::Kind::Other) note_if_link(below(here.path, entry.name), now);
      if (entry.kind == FileInfo::Kind::Directory) now.directories.push_back(entry.name);
      if (entry.kind != FileInfo::Kind::File) continue;
      if (may_be_sign_of_unfinished(entry.name)) {
        now.signs.push_back(entry.name);
        continue;
      }
      if (auto taken = take_file(here.path, entry.name, now, states); !taken) return taken;
    }
    tell_of_files(now);
    if (auto noted = note_beside(here.path, states, before_files); !noted) return noted;
    wait_for(here, now.directories);
    return {};
  }

  Result<void> take_file(const std::string& directory, const std::string& name, Directory& now,
                         std::vector<std::string>& states) {
    const std::size_t before = found.size(), weights = memory.not_taken.weights.count;
    if (auto taken = look_at_file(below(directory, name), name); !taken) return taken;
    if (found.size() > before) return {};
    const bool may_be_piece = bears_number(directory) || bears_number(name);
    if (may_be_piece && now.loose.size() < kMostLoose) now.loose.push_back(name);
    if (memory.not_taken.weights.count > weights) return {};
    if (is_named_as_state(name)) states.push_back(name);
    note_if_alike(below(directory, name), now);
    if (names_rolling_file(name)) now.rolling.push_back(name);
    if (is_stepless_state(name) && now.states.size() < kMostStates) now.states.push_back(name);
    return {};
  }

  // A file that was cut off is as good as none.
  Result<void> note_beside(const std::string& directory, const std::vector<std::string>& states,
                           std::size_t before_files) {
    return note_files_beside(directory, states, std::span(found).subspan(before_files),
                             [&](const std::string& path, bool is_recent) -> Result<bool> {
                               const auto piece = judge_piece(files_, root_, path, before_.pieces, is_recent);
                               if (!piece) return std::unexpected(piece.error());
                               memory.pieces.insert_or_assign(path, *piece);
                               return !piece->is_torn;
                             });
  }

  void tell_of_files(const Directory& directory) {
    const auto& alike = directory.files_alike;
    if (alike.count > 0) memory.not_taken.unlike.add(alike.first, alike.count);
    for (const auto& [why, some] : directory.files_unjudged) memory.not_taken.unjudged[why].add(some.first, some.count);
  }

  void wait_for(const Waiting& here, const std::vector<std::string>& directories) {
    if (here.depth >= limits_.depth) {
      if (!directories.empty()) memory.unsearched.deep.add(below(here.path, directories.front()), directories.size());
      return;
    }
    const bool crowd = directories.size() > limits_.siblings;
    for (const std::string& name : directories) {
      std::deque<Waiting>& queue = names_checkpoint(name) ? likely_ : crowd ? crowd_ : waiting_;
      queue.push_back({.path = below(here.path, name), .modified = {}, .depth = here.depth + 1});
    }
  }

  // Only what some layout takes by its name is asked about: there may be many.
  Result<void> look_at_file(const std::string& path, const std::string& name) {
    const CheckpointContents by_name{
        .files = files_, .path = root_ / path, .name = name, .itself = {.kind = FileInfo::Kind::File}};
    const bool is_one = std::any_of(layouts_.begin(), layouts_.end(),
                                    [&](const auto& layout) { return layout->recognise(by_name).has_value(); });
    if (!is_one) return {};
    const auto info = look(root_ / path, Links::Stay);
    if (!info && says_lost(info.error())) {
      keep_lost(path, FileInfo::Kind::File, info.error());
      return {};
    }
    if (!info) return std::unexpected(info.error());
    if (!*info || (*info)->kind != FileInfo::Kind::File) return {};
    const auto is_taken = take_unchanged(path, **info);
    if (!is_taken || *is_taken) return is_taken ? Result<void>() : std::unexpected(is_taken.error());
    auto seen = look_at_checkpoint(files_, layouts_, root_ / path, name, **info);
    if (!seen) return std::unexpected(seen.error());
    if (seen->is_weights_alone) memory.not_taken.weights.add(path);
    return seen->checkpoint ? keep(path, *std::move(seen->checkpoint)) : Result<void>();
  }

  // Files may be written anew in place, which no directory tells: of the one that counts each is asked for at each
  // look.
  bool is_judged_again(const std::string& path, const FileInfo& info) {
    constexpr int kJudgedSo = 2;
    contents_ = info.kind == FileInfo::Kind::Directory ? digest_of_contents(files_, root_ / path) : std::nullopt;
    const SearchMemory::Complete& known = before_.complete.at(path);
    return !contents_ || known.contents != contents_ || known.judged_so < kJudgedSo ||
           known.looks_since + 1 >= limits_.looks_until_judged_again;
  }

  // Whether it is a checkpoint that was complete at the look before and is as it was.
  Result<bool> take_unchanged(const std::string& path, const FileInfo& info) {
    if (path == newest_ && is_judged_again(path, info)) return false;
    const auto known = before_.complete.find(path);
    if (known == before_.complete.end() || !same(known->second.found.itself, info)) return false;
    const auto mark = mark_of(known->second.found);
    if (!mark && says_lost(mark.error())) return false;
    if (!mark) return std::unexpected(mark.error());
    if (!*mark || !same(known->second.mark, **mark)) return false;
    memory.directories[std::string(directory_of(path))].holds_checkpoints = true;
    ++memory.complete.insert(*known).first->second.looks_since;
    found.push_back(known->second.found);
    return true;
  }

  [[nodiscard]] Result<std::optional<FileInfo>> mark_of(const FoundCheckpoint& checkpoint) {
    const Path path = root_ / checkpoint.path;
    const std::string& mark = checkpoint.judgement.mark;
    return look(mark.empty() ? path : path / mark, Links::Follow);
  }

  // Below the root what is closed to this user is not there, and the look was cut short.
  [[nodiscard]] Result<std::optional<FileInfo>> look(const Path& path, Links links) {
    auto info = files_.look(path, links);
    if (info || info.error().error_class != runtime::ErrorClass::Forbidden) return info;
    note_closed(path.lexically_relative(root_).string());
    return std::nullopt;
  }

  void note_closed(const std::string& path) {
    memory.unsearched.closed.add(path);
    memory.unseen.insert(path);
  }

  void note_lost(const std::string& path) {
    memory.unsearched.lost.add(path);
    // What the look before has seen there is known.
    if (const auto known = before_.directories.find(path); known != before_.directories.end())
      memory.directories.insert(*known);
    else
      memory.unseen.insert(path);
  }

  // By its name: what is no checkpoint may have hidden some.
  void keep_lost(const std::string& path, FileInfo::Kind kind, const runtime::Error& error) {
    const std::string name(last_part(path));
    if (kind == FileInfo::Kind::Directory && !names_checkpoint(name)) return note_lost(path);
    const CheckpointContents by_name{.files = files_, .path = root_ / path, .name = name, .itself = {.kind = kind}};
    found.push_back(lost_checkpoint(layouts_, by_name, flaw_of_lost(error, root_ / path)));
    found.back().path = path;
    memory.directories[std::string(directory_of(path))].holds_checkpoints = true;
  }

  Result<void> keep(const std::string& path, FoundCheckpoint checkpoint) {
    checkpoint.path = path;
    for (StateFiles& each : checkpoint.judgement.state) {
      each.first = below(path, each.first);
      each.last = below(path, each.last);
    }
    for (auto* pieces : {&checkpoint.judgement.pieces.for_keep, &checkpoint.judgement.pieces.for_resume})
      for (StateFiles& each : *pieces) {
        each.first = below(path, each.first);
        each.last = below(path, each.last);
      }
    memory.directories[std::string(directory_of(path))].holds_checkpoints = true;
    if (!checkpoint.judgement.flaw) {
      const auto mark = mark_of(checkpoint);
      if (!mark && !says_lost(mark.error())) return std::unexpected(mark.error());
      if (!mark) checkpoint.judgement.flaw = flaw_of_lost(mark.error(), root_ / path);
      if (mark && *mark) memory.complete.insert_or_assign(path, complete(checkpoint, **mark));
    }
    found.push_back(std::move(checkpoint));
    return {};
  }

  // As it was judged just now.
  [[nodiscard]] SearchMemory::Complete complete(const FoundCheckpoint& found_now, const FileInfo& mark) const {
    SearchMemory::Complete now{.found = found_now, .mark = mark};
    if (found_now.path != newest_) return now;
    const SearchMemory::Complete& before = before_.complete.at(*newest_);
    now.contents = contents_;
    now.judged_so = contents_ && before.contents == contents_ ? before.judged_so + 1 : 1;
    return now;
  }

  const VolumeFiles& files_;
  const Layouts& layouts_;
  const Path& root_;
  const SearchLimits& limits_;
  const SearchMemory& before_;
  std::deque<Waiting> likely_, waiting_, crowd_;
  std::optional<std::string> newest_;    // of those that were complete
  std::optional<std::size_t> contents_;  // of that one, before it is judged
};

Result<void> add_pieces(const VolumeFiles& files, const Path& root, std::vector<FoundCheckpoint>& found,
                        SearchMemory& memory) {
  std::map<std::string, std::vector<std::string>> loose;
  for (const auto& [path, directory] : memory.directories)
    if (!directory.loose.empty()) loose.emplace(path, directory.loose);
  const auto too_many = note_pieces(files, root, loose, found, memory.pieces, memory.begun, memory.expected_pieces);
  if (too_many) memory.too_many_pieces = *too_many;
  return too_many ? Result<void>() : std::unexpected(too_many.error());
}

}  // namespace

SearchLimits no_limits(int depth) {
  constexpr auto kAll = std::numeric_limits<std::size_t>::max();
  return {.depth = depth,
          .directories = kAll,
          .named_like_checkpoints = kAll,
          .siblings = kAll,
          .entries = kAll,
          .enters_volumes_of_others = true};
}

Result<std::vector<FoundCheckpoint>> search_checkpoints(const VolumeFiles& files, const Layouts& layouts,
                                                        const Path& root, const SearchLimits& limits,
                                                        SearchMemory& memory) {
  Search search(files, layouts, root, limits, memory);
  if (auto done = search.run(); !done) return std::unexpected(done.error());
  if (auto marked = mark_unfinished(files, root, search.memory, search.found); !marked)
    return std::unexpected(marked.error());
  if (auto told = search.tell_of_rolling_files(); !told) return std::unexpected(told.error());
  search.memory.expected_pieces = std::move(memory.expected_pieces);
  search.memory.begun = std::move(memory.begun);
  search.memory.hidden = std::move(memory.hidden);
  search.memory.looks_since_hidden = memory.looks_since_hidden;
  memory = std::move(search.memory);
  const auto is_complete = [](const FoundCheckpoint& each) { return !each.judgement.flaw; };
  if (std::ranges::none_of(search.found, is_complete)) note_hidden_saves(files, root, limits, memory);
  auto all = without_nested(std::move(search.found), memory.not_taken);
  memory.stand_ins.clear();
  for (FoundCheckpoint& each : take_stand_ins(all)) memory.stand_ins.emplace(each.path, std::move(each));
  auto found = without_weights_alone(std::move(all), memory.not_taken);
  // What does not count must not pass for the newest at the next look.
  std::erase_if(memory.complete, [&](const auto& each) {
    return each.second.found.judgement.holds_no_optimizer && !memory.stand_ins.contains(each.first) &&
           std::ranges::find(found, each.first, &FoundCheckpoint::path) == found.end();
  });
  if (auto noted = add_pieces(files, root, found, memory); !noted) return std::unexpected(noted.error());
  return found;
}

}  // namespace reprise::agent
