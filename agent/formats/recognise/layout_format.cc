#include "agent/formats/recognise/layout_format.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/copied_name.h"
#include "agent/formats/names/step_directory.h"
#include "agent/formats/names/unfinished_name.h"
#include "agent/formats/recognise/like_checkpoints.h"
#include "agent/formats/recognise/tracker_file.h"
#include "agent/formats/recognise/unfinished_signs.h"
#include "agent/formats/recognise/unlike_complete.h"
#include "agent/formats/search/nested_checkpoints.h"
#include "agent/formats/structure/state_file.h"
#include "agent/formats/verify/lost_bytes.h"
#include "agent/formats/verify/read_everything.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::string_view kSingleFile = ".ckpt";

void sort_highest_first(Checkpoints& checkpoints) {
  std::ranges::sort(checkpoints, [](const Checkpoint& a, const Checkpoint& b) {
    return std::tie(a.step, a.name) > std::tie(b.step, b.name);
  });
}

Checkpoints highest_first(Checkpoints found, Checkpoints more) {
  if (more.empty()) return found;
  std::ranges::move(more, std::back_inserter(found));
  sort_highest_first(found);
  return found;
}

Checkpoints highest_first(std::vector<FoundCheckpoint> found) {
  Checkpoints checkpoints;
  for (FoundCheckpoint& each : found) {
    const bool complete = !each.judgement.flaw;
    checkpoints.push_back({.name = std::move(each.path),
                           .step = each.step,
                           .complete = complete,
                           .time = complete ? each.judgement.completed : runtime::WallTime{},
                           .format = std::string(each.format),
                           .state = {complete ? std::move(each.judgement.state) : std::vector<StateFiles>()},
                           .pieces = complete ? std::move(each.judgement.pieces) : HeldPieces()});
  }
  sort_highest_first(checkpoints);
  return checkpoints;
}

// A checkpoint by name alone that bears no mark says no more by its flaw.
std::string flaw_of_newest(const std::vector<FoundCheckpoint>& found) {
  const FoundCheckpoint* newest = nullptr;
  for (const FoundCheckpoint& each : found) {
    const bool says_no_more = is_one_by_name_alone(each) && each.judgement.mark.empty();
    if (each.judgement.flaw && !says_no_more && (newest == nullptr || each.step > newest->step)) newest = &each;
  }
  return newest == nullptr ? ""
                           : newest->path + " is not complete by " + std::string(newest->format) + ": " +
                                 newest->judgement.flaw->reason;
}

// Glances into the directory `directory` below the root; "" is the root. The kind of a file takes a call where the
// volume does not give it with the names: only new names are asked for.
Result<void> glance_into(const VolumeFiles& files, const std::filesystem::path& root, const std::string& directory,
                         const CheckpointFormat::Known& known, bool takes_files, Checkpoints& found) {
  const auto listed = files.list(root / directory);
  if (!listed && says_lost(listed.error()) && !directory.empty()) return {};  // discover() says so
  if (!listed) return std::unexpected(listed.error());
  for (const std::string& last : *listed) {
    std::string_view stem = last;
    if (stem.ends_with(kSingleFile)) stem.remove_suffix(kSingleFile.size());  // the ending alone says nothing
    if (!names_checkpoint(last) && !names_checkpoint(stem)) continue;
    std::string name = directory.empty() ? last : directory + "/" + last;
    if (!step_around(name).empty() || is_place_of_unfinished(directory)) continue;
    if (names_copy(last) || is_place_of_copies(directory)) continue;
    const auto is_known = known(name);
    if (!is_known) return std::unexpected(is_known.error());
    if (*is_known) continue;
    const auto info = files.look(root / name, Links::Stay);
    if (!info && says_lost(info.error())) continue;
    if (!info) return std::unexpected(info.error());
    const auto kind = *info ? (*info)->kind : FileInfo::Kind::Other;
    const bool is_single =
        kind == FileInfo::Kind::File && stem.size() < last.size() && names_checkpoint(stem) && takes_files;
    const bool is_directory = kind == FileInfo::Kind::Directory && names_checkpoint(last);
    if (is_single || is_directory) found.push_back({.name = std::move(name), .step = step_of(last).value_or(0)});
  }
  return {};
}

// Each of many files may say that a directory is whole where no file says so by itself.
Result<void> remove_state(const VolumeFiles& files, const std::filesystem::path& directory) {
  const auto entries = files.list_entries(directory);
  if (!entries) return std::unexpected(entries.error());
  for (const DirectoryEntry& each : *entries)
    if (each.kind == FileInfo::Kind::File && is_named_as_state(each.name))
      if (auto done = files.remove(directory / each.name); !done) return done;
  return {};
}

}  // namespace

bool LayoutFormat::asks_for_marks_alone() const {
  return layouts_.size() == 1 && layouts_.front()->name() == kMarkerFormat;
}

LayoutFormat::Memory LayoutFormat::remembered() const {
  const std::lock_guard lock(mutex_);
  return memory_;
}

Result<Checkpoints> LayoutFormat::discover(const VolumeFiles& files, const Path& root) const {
  Memory memory = remembered();
  auto found = search_checkpoints(files, layouts_, root, SearchLimits{}, memory.search);
  if (!found) return std::unexpected(found.error());
  auto read = read_newest(files, root, *found, memory.read);
  if (!read) return std::unexpected(read.error());
  memory.read = *std::move(read);
  memory.emptied = mark_emptied(files, root, *found, memory.emptied, layouts_.size() == 1);
  memory.lost.clear();
  for (const FoundCheckpoint& each : *found)
    if (each.judgement.flaw && each.judgement.flaw->lost) memory.lost.emplace(each.path, each.judgement.flaw->reason);
  memory.any_complete = std::ranges::any_of(*found, [](const auto& each) { return !each.judgement.flaw; });
  memory.flaw = memory.any_complete ? "" : flaw_of_newest(*found);
  // A checkpoint by its name alone below the root is listed nowhere else (certain()).
  for (const FoundCheckpoint& each : *found)
    if (asks_for_marks_alone() && is_one_by_name_alone(each) && each.path.contains('/'))
      memory.search.not_taken.unlike.add(each.path);
  {
    const std::lock_guard lock(mutex_);
    memory_ = std::move(memory);
  }
  return highest_first(*std::move(found));
}

Flawed LayoutFormat::read_sums(const VolumeFiles& files, const Path& root, const FoundCheckpoint& found,
                               bool& is_read) const {
  auto read = sums_->read(files, root, found.path, found.itself);
  if (!read) return std::unexpected(read.error());
  is_read = read->is_read;
  return std::move(read->flaw);
}

// A long read is cheaper than a resume from what does not load, and it is done once.
Result<LayoutFormat::ReadByPath> LayoutFormat::read_newest(const VolumeFiles& files, const Path& root,
                                                           std::vector<FoundCheckpoint>& found,
                                                           const ReadByPath& before) const {
  std::vector<FoundCheckpoint*> complete;
  for (FoundCheckpoint& each : found)
    if (!each.judgement.flaw) complete.push_back(&each);
  std::ranges::sort(complete, std::ranges::greater{}, [](const auto* each) { return order_in_time(*each); });
  ReadByPath read;
  bool sound = false, sums_hold = false;
  for (FoundCheckpoint* each : complete) {
    const bool may_be_data = !names_checkpoint(each->path);  // no training resumes from data
    if (!each->judgement.needs_reading) {
      sound = sound || !may_be_data;
      continue;
    }
    const auto mark = files.look(root / each->path / each->judgement.mark, Links::Follow);
    if (!mark && says_lost(mark.error())) each->judgement.flaw = flaw_of_lost(mark.error(), root / each->path);
    if (!mark && !says_lost(mark.error())) return std::unexpected(mark.error());
    if (!mark || !*mark) continue;  // gone since the look
    const auto last = before.find(each->path);
    const bool known = last != before.end() && last->second.was_of(**mark);
    if (!known && (sound || (may_be_data && sums_hold))) continue;
    const Path path = root / each->path;
    bool is_read = true;
    auto flaw = known ? Flawed(last->second.flaw) : lost_is_flaw(read_sums(files, root, *each, is_read), path);
    if (!flaw) return std::unexpected(flaw.error());
    if (!is_read) {  // its structure alone counts for now
      sound = sound || !may_be_data;
      continue;
    }
    // The storage may give again what it does not give now.
    if (!*flaw || !(*flaw)->lost) read[each->path] = {.mark = **mark, .flaw = *flaw};
    sums_hold = sums_hold || !*flaw;
    sound = sound || (!*flaw && !may_be_data);
    each->judgement.flaw = *std::move(flaw);
  }
  return read;
}

Result<bool> LayoutFormat::sums_hold(const VolumeFiles& files, const Path& root, const std::string& name) const {
  const Memory memory = remembered();
  const auto complete = memory.search.complete.find(name);
  if (complete == memory.search.complete.end()) return true;
  const FoundCheckpoint& found = complete->second.found;
  if (!found.judgement.needs_reading) return true;
  const auto mark = files.look(root / name / found.judgement.mark, Links::Follow);
  if (!mark) return std::unexpected(mark.error());
  if (!*mark) return false;  // gone since the look
  if (const auto last = memory.read.find(name); last != memory.read.end() && last->second.was_of(**mark))
    return !last->second.flaw;
  bool is_read = true;
  auto flaw = read_sums(files, root, found, is_read);
  if (!flaw) return std::unexpected(flaw.error());
  if (!is_read) return true;
  const bool hold = !*flaw;
  const std::lock_guard lock(mutex_);
  memory_.read.insert_or_assign(name, Read{.mark = **mark, .flaw = *std::move(flaw)});
  return hold;
}

std::string LayoutFormat::unsearched() const {
  const std::lock_guard lock(mutex_);
  return text(memory_.search.unsearched, SearchLimits{});
}

std::string LayoutFormat::uncounted() const {
  const std::lock_guard lock(mutex_);
  const std::size_t count = memory_.search.too_many_pieces;
  if (count == 0) return {};
  return "which files beside checkpoints belong to them is not known: more than " + std::to_string(kMostPieces) +
         " files bear numbers of saves; let the trainer remove those of former saves, or keep them in one file each";
}

Checkpoints LayoutFormat::stand_ins() const {
  std::vector<FoundCheckpoint> complete;
  const std::lock_guard lock(mutex_);
  for (const auto& [path, each] : memory_.search.stand_ins)
    if (!each.judgement.flaw) complete.push_back(each);
  return highest_first(std::move(complete));
}

Unreadable LayoutFormat::unreadable() const {
  const std::lock_guard lock(mutex_);
  return {.checkpoints = memory_.lost, .directories = text_of_lost(memory_.search.unsearched)};
}

std::string LayoutFormat::not_taken() const {
  const std::lock_guard lock(mutex_);
  const std::string alike = memory_.any_complete ? "" : text(memory_.search.not_taken);
  std::string all;
  for (const std::string& each : {text_of_newer(memory_.search.not_taken), memory_.flaw, alike})
    if (!each.empty()) all += (all.empty() ? "" : "; ") + each;
  return all;
}

std::vector<std::string> LayoutFormat::other_states() const {
  const std::lock_guard lock(mutex_);
  return states_in(memory_.search);
}

bool LayoutFormat::may_have_been_there(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto& unseen = memory_.search.unseen;
  for (std::string_view place = name; !place.empty(); place = directory_of(place))
    if (unseen.contains(place)) return true;
  return false;
}

Checkpoints LayoutFormat::certain(Checkpoints discovered) const {
  Checkpoints lost = take_lost(discovered);
  // Data by its name may have a damaged file behind a mark of its own as well.
  std::erase_if(discovered, [](const Checkpoint& each) {
    return !each.complete && each.format == kMarkerFormat && !names_checkpoint(each.name);
  });
  if (layouts_.size() > 1) discovered = without_unlike_complete(std::move(discovered));
  // A checkpoint by its name alone below the root may be anything.
  else if (asks_for_marks_alone())
    discovered = without_unlike_below_root(std::move(discovered));
  return highest_first(std::move(discovered), std::move(lost));
}

// Takes checkpoints by their names, or by those of complete ones: nothing else tells what it is, and a better look may.
Checkpoints LayoutFormat::take_lost(Checkpoints& discovered) const {
  const auto unread = unreadable().checkpoints;
  if (unread.empty()) return {};
  std::set<std::string> namings;
  for (const Checkpoint& each : discovered)
    if (each.complete) namings.insert(naming_of(each.name));
  Checkpoints lost;
  std::erase_if(discovered, [&](const Checkpoint& each) {
    const bool is_one = !each.complete && unread.contains(each.name) &&
                        (names_checkpoint(each.name) || namings.contains(naming_of(each.name)));
    if (is_one) lost.push_back(each);
    return is_one;
  });
  return lost;
}

Result<Checkpoints> LayoutFormat::glance(const VolumeFiles& files, const Path& root, const Known& known) const {
  const SearchMemory memory = remembered().search;
  Checkpoints found;
  const bool takes_files = !asks_for_marks_alone();
  if (auto looked = glance_into(files, root, "", known, takes_files, found); !looked)
    return std::unexpected(looked.error());
  for (const auto& [path, directory] : memory.directories) {
    if (path.empty() || !directory.holds_checkpoints) continue;
    if (auto looked = glance_into(files, root, path, known, takes_files, found); !looked)
      return std::unexpected(looked.error());
  }
  std::ranges::sort(found, std::ranges::greater{}, &Checkpoint::step);
  return found;
}

FoundCheckpoint LayoutFormat::lost_by_name(const VolumeFiles& files, const Path& checkpoint, Flaw flaw) const {
  const CheckpointContents contents{.files = files,
                                    .path = checkpoint,
                                    .name = checkpoint.filename().string(),
                                    .itself = {.kind = FileInfo::Kind::Directory}};
  return lost_checkpoint(layouts_, contents, std::move(flaw));
}

// The last search has seen some, or there was none yet.
bool LayoutFormat::may_have_signs() const {
  const std::lock_guard lock(mutex_);
  const auto& directories = memory_.search.directories;
  return directories.empty() ||
         std::ranges::any_of(directories, [](const auto& each) { return !each.second.signs.empty(); });
}

// A checkpoint that was put aside bears its path and the number of an attempt in its name (VolumeLayout::aside).
Result<std::optional<FoundCheckpoint>> LayoutFormat::look(const VolumeFiles& files, const Path& checkpoint) const {
  const auto info = files.look(checkpoint, Links::Stay);
  if (!info && says_lost(info.error())) return lost_by_name(files, checkpoint, flaw_of_lost(info.error(), checkpoint));
  if (!info) return std::unexpected(info.error());
  if (!*info || (*info)->kind == FileInfo::Kind::Other) return std::nullopt;
  const bool is_aside = checkpoint.parent_path().parent_path().filename() == VolumeLayout::kOwn;
  const std::string name = checkpoint.filename().string(), before = is_aside ? VolumeLayout::before_aside(name) : name;
  // Before the checkpoint itself, whose mark may go meanwhile.
  auto sign = may_have_signs() ? flaw_of_sign(files, checkpoint) : Flawed(std::nullopt);
  if (!sign) return std::unexpected(sign.error());
  auto seen = look_at_checkpoint(files, layouts_, checkpoint, name, **info);
  if (!seen) return std::unexpected(seen.error());
  if (seen->lost && !seen->checkpoint) return lost_by_name(files, checkpoint, *std::move(seen->lost));
  if (seen->checkpoint && !seen->checkpoint->judgement.flaw) {
    const std::lock_guard lock(mutex_);
    seen->checkpoint->judgement.flaw = flaw_of_emptied(memory_.emptied, checkpoint, *seen->checkpoint);
  }
  if (seen->checkpoint && !seen->checkpoint->judgement.flaw) seen->checkpoint->judgement.flaw = *std::move(sign);
  if (before == name || (seen->checkpoint && !seen->checkpoint->judgement.flaw)) return std::move(seen->checkpoint);
  auto once = look_at_checkpoint(files, layouts_, checkpoint, before, **info);
  if (!once) return std::unexpected(once.error());
  return std::move(once->checkpoint ? once->checkpoint : seen->checkpoint);
}

Result<std::optional<runtime::WallTime>> LayoutFormat::completed(const VolumeFiles& files,
                                                                 const Path& checkpoint) const {
  const auto seen = look(files, checkpoint);
  if (!seen) return std::unexpected(seen.error());
  if (!*seen) return std::nullopt;
  if (const auto& flaw = (*seen)->judgement.flaw; flaw && flaw->lost)
    return runtime::fail(runtime::ErrorClass::Terminal, checkpoint.string() + ": " + flaw->reason);
  return (*seen)->judgement.flaw ? std::nullopt : std::optional((*seen)->judgement.completed);
}

Result<std::optional<CloseLook>> LayoutFormat::look_closely(const VolumeFiles& files, const Path& root,
                                                            const std::string& name) const {
  auto seen = look(files, root / name);
  if (!seen) return std::unexpected(seen.error());
  if (!*seen) return std::nullopt;
  Judgement& judged = (*seen)->judgement;
  if (!judged.flaw && judged.needs_reading) {
    const auto mark = files.look(root / name / judged.mark, Links::Follow);
    if (!mark && !says_lost(mark.error())) return std::unexpected(mark.error());
    if (!mark) judged.flaw = flaw_of_lost(mark.error(), root / name);
    const ReadByPath read = remembered().read;
    if (const auto last = read.find(name); mark && *mark && last != read.end() && last->second.was_of(**mark))
      judged.flaw = last->second.flaw;
  }
  const bool complete = !judged.flaw;
  return CloseLook{.checkpoint = {.name = name,
                                  .step = (*seen)->step,
                                  .complete = complete,
                                  .time = complete ? judged.completed : runtime::WallTime{},
                                  .format = std::string((*seen)->format)},
                   .flaw = std::move(judged.flaw)};
}

std::string LayoutFormat::of_others() const {
  const std::lock_guard lock(mutex_);
  return text_of_others(memory_.search.not_taken);
}

Result<void> LayoutFormat::put_aside(const VolumeFiles& files, const Path& root, const std::string& name,
                                     const Path& to) const {
  const Path from = root / name;
  const auto tracked = read_tracker(files, from.parent_path(), from.filename().string());
  if (!tracked) return std::unexpected(tracked.error());
  if (auto moved = files.move(from, to); !moved) return moved;
  if (!*tracked || (*tracked)->checkpoint != from.filename().string()) return {};
  SearchMemory nothing;
  const auto beside = search_checkpoints(files, layouts_, from.parent_path(), {.depth = 1}, nothing);
  const Checkpoints left = beside ? highest_first(*beside) : Checkpoints();
  const auto newest = std::ranges::find_if(
      left, [&](const Checkpoint& each) { return each.complete && can_name(**tracked, each.name); });
  const Tracker now{.file = (*tracked)->file, .checkpoint = newest == left.end() ? "" : newest->name};
  auto mended = beside ? write_tracker(files, from.parent_path(), now) : std::unexpected(beside.error());
  if (!mended) static_cast<void>(files.move(to, from));
  return mended;
}

Result<void> LayoutFormat::invalidate(const VolumeFiles& files, const Path& checkpoint) const {
  // A trainer may set several marks, or one beside what is whole by its library's rules.
  constexpr int kMostMarks = 8;
  for (int removed = 0; removed < kMostMarks; ++removed) {
    const auto seen = look(files, checkpoint);
    if (!seen) return std::unexpected(seen.error());
    if (!*seen || (*seen)->judgement.flaw) return {};
    if (removed > 0 && !(*seen)->judgement.state.empty())
      if (auto done = remove_state(files, checkpoint); !done) return done;
    const std::string& mark = (*seen)->judgement.mark;
    if (auto done = files.remove(mark.empty() ? checkpoint : checkpoint / mark); !done) return done;
  }
  return runtime::fail(runtime::ErrorClass::Conflict, checkpoint.string() + ": is complete again and again");
}

}  // namespace reprise::agent
