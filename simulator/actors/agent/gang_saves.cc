// Saves of the trainers of a gang: their own in a directory with a marker, those of libraries file after file.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "simulator/actors/agent/gang.h"
#include "simulator/volumes/files_beside.h"

namespace reprise::simulator {
namespace {

constexpr Duration kAskAgain{5'000};  // while a volume does not answer
constexpr Duration kDeletion{400};    // from the begin of a library's rotation to its end
constexpr std::size_t kPieces = 2;    // per file: a trainer may be killed in the midst of it

// A checkpoint that a library writes or deletes, if it is where its trainer has put it.
DiskCheckpoint* in_place(Disk& disk, std::int64_t step) {
  const auto found = disk.checkpoints.find(step);
  const bool there = found != disk.checkpoints.end() && !(found->second.quarantined && disk.traits.moves);
  return there ? &found->second : nullptr;
}

// The files of the directory in which the file lies.
FilesByName& files_around(DiskCheckpoint& checkpoint, const LibraryFile& file, const TrainingPlan& plan) {
  return file.rank == 0 ? checkpoint.files : checkpoint.of_other_ranks[directory_of(plan, checkpoint.step, file.rank)];
}

// True when all written files are there and whole.
bool is_whole(DiskCheckpoint& checkpoint, const std::vector<LibraryFile>& files, const TrainingPlan& plan) {
  return std::ranges::all_of(files, [&](const LibraryFile& each) {
    const FilesByName& around = files_around(checkpoint, each, plan);
    const auto found = around.find(each.name);
    return found != around.end() && found->second.text == each.text;
  });
}

void write(FilesByName& around, const LibraryFile& file, bool whole, Duration now) {
  if (file.text.empty() && !whole) return;  // a marker is there at once
  DiskFile written{.text = whole ? file.text : file.text.substr(0, file.text.size() / kPieces), .time = now};
  if (!file.begun.empty() && whole) around.erase(file.begun);
  around[whole || file.begun.empty() ? file.name : file.begun] = std::move(written);
}

// Rotates by the time of completion, as Trainer does; Lightning deletes the one before.
std::vector<std::int64_t> to_rotate(const Disk& disk, const TrainingPlan& plan, std::int64_t before) {
  std::vector<std::pair<Duration, std::int64_t>> all;
  for (const auto& [step, each] : disk.checkpoints)
    if (each.library == plan.library && (!each.quarantined || !disk.traits.moves)) all.emplace_back(each.time, step);
  if (plan.save_limit == 0 || std::ssize(all) <= plan.save_limit) return {};
  if (plan.library == Library::Lightning) {
    const bool there = std::ranges::any_of(all, [&](const auto& each) { return each.second == before; });
    return there ? std::vector<std::int64_t>{before} : std::vector<std::int64_t>{};
  }
  std::ranges::sort(all);
  std::vector<std::int64_t> steps;
  for (std::size_t at = 0; at + static_cast<std::size_t>(plan.save_limit) < all.size(); ++at)
    steps.push_back(all[at].second);
  return steps;
}

}  // namespace

bool Gang::volume_hangs() const {
  return std::ranges::any_of(ranks_, [this](const auto& each) {
    return volumes_.stuck(each.second.trainer.volume, each.second.trainer.machine);
  });
}

// Notes that the ranks stood: a wait for the volume cannot be told from a trainer's hang.
bool Gang::waits_for_volume() {
  if (!volume_hangs()) return false;
  note_stand();
  return true;
}

template <class Does>
void Gang::on_volumes(Does does) {
  std::set<std::string> seen;
  for (const auto& [rank, state] : ranks_) {
    if (!seen.insert(state.trainer.volume).second) continue;
    if (Disk* disk = volumes_.disk(state.trainer.volume)) does(*disk, state);
  }
}

void Gang::begin_save(std::int64_t step) {
  phase_ = Phase::Saving;
  saving_ = step;
  if (waits_for_volume()) return plan(kAskAgain, [this, step] { begin_save(step); });
  const bool fits = has_room(step);
  on_volumes([&](Disk& disk, const RankState& state) {
    disk.checkpoints[step] = {.step = step,
                              .complete = false,
                              .quarantined = false,
                              .unsynced_on = state.trainer.machine,
                              .by = state.trainer.id,
                              .time = cluster_.loop.now(),
                              .begun = cluster_.loop.now(),
                              .name = directory_of(plan_, step),
                              .library = plan_.library};
    disk.rotated.erase(step);
    if (plan_.library == Library::Lightning) disk.checkpoints[step].files[""].time = cluster_.loop.now();
    if (plan_.library != Library::None) disk.touch_folders(directory_of(plan_, step), cluster_.loop.now());
  });
  tell_begun();
  if (!fits) return plan(plan_.save / 2, [this] { fail_for_want_of_room(); });
  if (plan_.library == Library::None) return plan(plan_.save, [this] { end_save(); });
  files_ = files_of(plan_.library, step, static_cast<int>(ranks_.size()));
  pieces_ = 0;
  plan_piece();
}

// Room beside the files that are written over.
bool Gang::has_room(std::int64_t step) {
  bool fits = true;
  on_volumes([&](const Disk& disk, const RankState& /*state*/) {
    const auto room = disk.room();
    fits = fits && (!room || *room > 0 || disk.checkpoints.contains(step));
  });
  return fits;
}

void Gang::fail_for_want_of_room() {
  for (const auto& [rank, state] : ranks_)
    if (!state.still) log_.no_room.insert(state.trainer.id);
  exit_all(1);
}

void Gang::tell_begun() {
  std::vector<std::function<void()>> listeners;
  for (const auto& [rank, state] : ranks_) listeners.push_back(state.trainer.on_begun);
  for (const auto& notify : listeners) notify();
}

Duration Gang::spread_of_save() const {
  return plan_.save_spread * static_cast<Duration::rep>(ranks_.size() - 1);
}

Duration Gang::rest_of_save() const {
  const std::size_t all = kPieces * files_.size();
  if (all == 0) return spread_of_save();
  return plan_.save * static_cast<Duration::rep>(all - std::min(all, pieces_ + 1)) / static_cast<Duration::rep>(all) +
         spread_of_save();
}

void Gang::plan_piece() {
  plan(plan_.save / static_cast<Duration::rep>(kPieces * files_.size()), [this] { write_piece(); });
}

// A checkpoint that was taken away meanwhile cannot be written to.
void Gang::write_piece() {
  if (waits_for_volume()) return plan(kAskAgain, [this] { write_piece(); });
  const LibraryFile& file = files_[pieces_ / kPieces];
  const bool whole = ++pieces_ % kPieces == 0;
  bool gone = false;
  on_volumes([&](Disk& disk, const RankState& /*state*/) {
    DiskCheckpoint* made = in_place(disk, saving_);
    gone = gone || made == nullptr;
    if (made == nullptr) return;
    made->time = cluster_.loop.now();
    FilesByName& around = files_around(*made, file, plan_);
    if (file.rank > 0 && around.empty()) disk.touch_folders(directory_of(plan_, saving_, file.rank), made->time);
    write(around, file, whole, made->time);
    made->complete = is_whole(*made, files_, plan_);
  });
  if (gone) return exit_all(1);
  if (pieces_ == kPieces * files_.size()) return end_save();
  if (whole) tell_begun();
  plan_piece();
}

// Deletes half of a directory's files first.
void Gang::begin_rotation(std::int64_t before) {
  bool any = false;
  on_volumes([&](Disk& disk, const RankState& /*state*/) {
    for (const std::int64_t step : to_rotate(disk, plan_, before)) {
      any = true;
      disk.rotated.insert(step);
      DiskCheckpoint& checkpoint = disk.checkpoints[step];
      checkpoint.complete = false;
      const std::size_t half = (checkpoint.files.size() + 1) / 2;
      checkpoint.files.erase(checkpoint.files.begin(),
                             std::next(checkpoint.files.begin(), static_cast<std::ptrdiff_t>(half)));
      checkpoint.time = cluster_.loop.now();
    }
  });
  if (!any) return after_save(saving_);
  tell_begun();
  plan(kDeletion, [this] { end_rotation(); });
}

void Gang::end_rotation() {
  if (waits_for_volume()) return plan(kAskAgain, [this] { end_rotation(); });
  on_volumes([&](Disk& disk, const RankState& /*state*/) {
    for (const std::int64_t step : disk.rotated) {
      const DiskCheckpoint* going = in_place(disk, step);
      if (going == nullptr || going->complete) continue;
      disk.touch_folders(going->name, cluster_.loop.now());
      disk.checkpoints.erase(step);
    }
  });
  tell_begun();
  after_save(saving_);
}

void Gang::skip_save(std::int64_t step) {
  note_saved(step);
  after_save(step);
}

void Gang::note_saved(std::int64_t step) {
  last_saved_ = step;
  for (auto& [rank, state] : ranks_) state.saved_since_request = state.saved_since_request || save_requested_;
  save_requested_ = false;
}

// Deletes files of runs that nobody needs any more: an agent that looks finds other files.
void Gang::tidy_former_run() {
  on_volumes([&](Disk& disk, const RankState& /*state*/) {
    const std::string run = first_former_run(disk.beside);
    if (run.empty()) return;
    const auto is_of_run = [&](const auto& file) { return file.first.starts_with(run + "/"); };
    for (const auto& file : disk.beside)
      if (is_of_run(file)) disk.tidied.insert(file.first);
    std::erase_if(disk.beside, is_of_run);
    std::erase_if(disk.folders,
                  [&](const auto& folder) { return folder.first == run || folder.first.starts_with(run + "/"); });
  });
}

void Gang::end_save() {
  if (plan_.former_runs > 0) tidy_former_run();
  saved_on_.clear();
  complete_next();
}

// Completes on all volumes at once, or on one after the other.
void Gang::complete_next() {
  if (waits_for_volume()) return plan(kAskAgain, [this] { complete_next(); });
  const std::int64_t step = saving_;
  std::set<std::string> now;
  bool more = false;
  on_volumes([&](Disk& disk, const RankState& state) {
    if (saved_on_.contains(state.trainer.volume)) return;
    more = plan_.save_spread > Duration{0} && !now.empty();
    if (more) return;
    now.insert(state.trainer.volume);
    DiskCheckpoint& made = disk.checkpoints[step];
    made.step = step;
    made.name = directory_of(plan_, step);
    made.by = state.trainer.id;
    made.complete = plan_.library == Library::None || made.complete;
    if (!disk.traits.moves)
      made.quarantined = false;  // a complete checkpoint in its place is none of the torn ones
                                 // any more
    made.time = cluster_.loop.now();
    // Other machines see of a share only the data that its server has.
    if (volumes_.shared(state.trainer.volume)) made.unsynced_on.clear();
  });
  saved_on_.insert(now.begin(), now.end());
  const std::int64_t before = last_saved_;
  if (!more) note_saved(step);
  std::vector<std::function<void(std::int64_t)>> listeners;
  for (const auto& [rank, state] : ranks_)
    if (now.contains(state.trainer.volume)) listeners.push_back(state.trainer.on_saved);
  for (const auto& notify : listeners) notify(step);
  if (more) return plan(plan_.save_spread, [this] { complete_next(); });
  if (plan_.library != Library::None) return begin_rotation(before);
  after_save(step);
}

}  // namespace reprise::simulator
