#include "agent/core/fencing/own_places.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/unfinished_name.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using runtime::Result;

struct SavedPlace {
  std::string job_uid, name;
};

std::optional<SavedPlace> decode_place(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  auto job_uid = text_of(*object, "jobUid");
  auto name = text_of(*object, "name");
  if (!job_uid || !name) return std::nullopt;
  return SavedPlace{.job_uid = std::move(*job_uid), .name = std::move(*name)};
}

// Its number may be that of a year or a day.
bool may_be_data(const std::string& name) {
  constexpr std::string_view kDigits = "0123456789";
  const std::string_view last = last_part(name);
  if (last.find_first_of(kDigits) == std::string_view::npos) return false;
  return last.find_first_not_of(kDigits) == std::string_view::npos || !names_checkpoint(name);
}

// Names that show a series of saves: one that says checkpoint, or several that are alike. A trainer that unpacks
// "data/20261124" has saved nothing.
std::vector<const MadeCheckpoint*> sure_saves(const MadeCheckpoints& made, std::string_view job_uid) {
  std::map<std::string, std::set<std::string_view>> alike;
  for (const MadeCheckpoint& each : made)
    if (each.job_uid == job_uid && !each.doubtful) alike[naming_of(each.name)].insert(each.name);
  std::vector<const MadeCheckpoint*> sure;
  for (const MadeCheckpoint& each : made) {
    if (each.job_uid != job_uid || each.doubtful) continue;
    if (!may_be_data(each.name) || alike[naming_of(each.name)].size() > 1) sure.push_back(&each);
  }
  return sure;
}

class Doubts {
 public:
  explicit Doubts(const PlaceQuestion& question)
      : saved_(question.saved),
        ranks_(question.self.gang.is_alone() ? Ranks::Apart : Ranks::Together),
        resumed_place_(question.resumed_path.empty() ? std::string() : place_of(question.resumed_path, ranks_)),
        own_(own_places(question.made, question.self.job_uid)) {
    for (const Checkpoint& each : question.before) before_.insert(place_of(each.name, ranks_));
    for (const MadeCheckpoint* each : sure_saves(question.made, question.self.job_uid))
      kinds_.insert(read_save_name(each->name).kind);
    for (const MadeCheckpoint& each : question.made)
      if (each.job_uid == question.self.job_uid && each.attempt == question.self.attempt && !may_be_data(each.name))
        ++appeared_[place_of(each.name, ranks_)];
  }

  [[nodiscard]] bool has(const std::string& name) const {
    const std::string place = place_of(name, ranks_);
    if (own_.have(name)) return false;
    if (saved_.anything) return !is_of_first_save(name);
    if (place == resumed_place_ || is_all_that_appears(place)) return false;
    return before_.contains(place) || (saved_.in_any_attempt && !kinds_.contains(read_save_name(name).kind));
  }

 private:
  // A second part of it, under a name of its own. Later on that may be a copy.
  [[nodiscard]] bool is_of_first_save(const std::string& name) const {
    return saved_.only_step && read_save_name(name).step == saved_.only_step &&
           own_.directories.contains(std::string(directory_of(place_of(name, ranks_))));
  }
  // Saves may be too short to be seen. A trainer that saves nowhere else, save after save, saves there.
  [[nodiscard]] bool is_all_that_appears(const std::string& place) const {
    constexpr std::size_t kSavesOfOnePlace = 2;  // before this one
    return appeared_.size() == 1 && appeared_.begin()->first == place && appeared_.begin()->second >= kSavesOfOnePlace;
  }

  const SavedSoFar& saved_;
  Ranks ranks_;
  std::string resumed_place_;
  OwnPlaces own_;
  std::set<std::string> before_, kinds_;
  std::map<std::string, std::size_t> appeared_;  // entries of this attempt, by place
};

}  // namespace

std::string place_of(const std::string& name, Ranks ranks) {
  constexpr std::string_view kOrbaxTemporary = ".orbax-checkpoint-tmp";  // behind the number
  const std::string_view part = last_part(name);
  const std::string_view last = name_when_finished(part.substr(0, part.find(kOrbaxTemporary)));
  const SaveName says = read_save_name((fs::path(directory_of(name)) / last).string());
  std::string place = ranks == Ranks::Apart ? says.place_of_rank : says.place;
  for (const std::string_view sign : {"-#", "-@"})
    for (std::size_t at = place.find(sign); at != std::string::npos; at = place.find(sign, at)) place.erase(at, 1);
  return place;
}

std::string place_of(const MadeCheckpoint& entry) {
  return place_of(entry.name, entry.gang.is_alone() ? Ranks::Apart : Ranks::Together);
}

bool OwnPlaces::have(const std::string& name) const {
  const bool has_step = read_save_name(name).step.has_value();
  return std::ranges::any_of(std::array{Ranks::Together, Ranks::Apart}, [&](Ranks ranks) {
    const std::string place = place_of(name, ranks), directory(directory_of(place));
    return places.contains(place) ||
           (directories.contains(directory) && (!has_step || !with_steps.contains(directory)));
  });
}

void doubt(MadeCheckpoints& appeared, const PlaceQuestion& question) {
  const Doubts doubts(question);
  for (MadeCheckpoint& each : appeared) each.doubtful = doubts.has(each.name);
}

void doubt_unsaid(MadeCheckpoints& made) {
  std::map<std::string, std::map<std::string, std::size_t>, std::less<>> places;  // by job
  for (const MadeCheckpoint& each : made)
    if (each.unsaid) ++places[each.job_uid][place_of(each)];
  for (MadeCheckpoint& each : made) {
    if (!each.unsaid) continue;
    const auto& of_job = places[each.job_uid];
    const std::size_t most = std::ranges::max_element(of_job, {}, [](const auto& one) { return one.second; })->second;
    each.doubtful = of_job.at(place_of(each)) * 2 <= most && most > 1;
  }
}

SavedSoFar saved_with(const SavedSoFar& before, const MadeCheckpoints& appeared, const MadeCheckpoints& known) {
  SavedSoFar saved = before;
  if (appeared.empty()) return saved;
  MadeCheckpoints all = known;
  all.insert(all.end(), appeared.begin(), appeared.end());
  for (const MadeCheckpoint* each : sure_saves(all, appeared.front().job_uid)) {
    if (each->order < appeared.front().order) continue;
    const auto step = read_save_name(each->name).step;
    const bool is_first = !saved.anything;
    saved.anything = true;
    if (is_first)
      saved.only_step = step;
    else if (step && step != saved.only_step)
      saved.only_step.reset();
  }
  return saved;
}

bool shows_own(const OpenFiles& open, const std::string& name) {
  const fs::path directory = directory_of(name);
  const std::string place = place_of(name);
  return std::ranges::any_of(open.paths, [&](const fs::path& file) {
    if (is_below(file.native(), name)) return true;
    if (!directory.empty() && !is_below(file.native(), directory.native())) return false;
    const fs::path beside = directory.empty() ? file : file.lexically_relative(directory);
    const std::string first = beside.begin()->string();
    const bool is_file_there = std::next(beside.begin()) == beside.end();
    return (is_file_there && !directory.empty()) || place_of((directory / name_when_finished(first)).string()) == place;
  });
}

OwnPlaces own_places(const MadeCheckpoints& made, std::string_view job_uid) {
  OwnPlaces own;
  for (const MadeCheckpoint* each : sure_saves(made, job_uid)) {
    const std::string place = place_of(*each);
    own.directories.emplace(directory_of(place));
    if (read_save_name(each->name).step) own.with_steps.emplace(directory_of(place));
    own.places.insert(place);
  }
  return own;
}

std::string say_doubtful(const Checkpoints& found, const MadeCheckpoints& made, const std::string& job_uid) {
  std::set<std::string> doubtful;
  for (const MadeCheckpoint& each : made)
    if (each.job_uid == job_uid && each.doubtful) doubtful.insert(each.name);
  for (const MadeCheckpoint& each : made)
    if (!each.doubtful) doubtful.erase(each.name);
  std::erase_if(doubtful, [&](const std::string& name) {
    return std::ranges::find(found, name, &Checkpoint::name) == found.end();
  });
  if (doubtful.empty()) return {};
  const std::size_t others = doubtful.size() - 1;
  return "spec.checkpoint.keep deletes nothing of " + *doubtful.begin() +
         (others > 0 ? " and " + std::to_string(others) + " more" : "") +
         ": it appeared while this job trained, in a place where no process of this job was seen to write; let the "
         "trainer save to one directory";
}

Result<void> write_place(const Volume& volume, const Identity& self, const std::string& name) {
  const auto names = volume.files.list(volume.layout.places());
  if (!names) return std::unexpected(names.error());
  const std::string stem = std::to_string(self.attempt) + "-" + std::to_string(self.index) + "-";
  std::string file;
  std::size_t number = 0;
  do {
    file = stem + std::to_string(number++) + ".json";
  } while (std::ranges::binary_search(*names, file));
  const boost::json::object object{
      {"jobUid", self.job_uid}, {"attempt", self.attempt}, {"index", self.index}, {"name", name}};
  return volume.files.write(volume.layout.places() / file, to_text(object), Sync::Yes);
}

Result<void> settle_doubts(const Volume& volume, MadeCheckpoints& made) {
  if (std::ranges::none_of(made, &MadeCheckpoint::doubtful)) return {};
  const auto names = volume.files.list(volume.layout.places());
  if (!names) return std::unexpected(names.error());
  std::vector<fs::path> files;
  for (const std::string& name : *names)
    if (!name.starts_with('.')) files.push_back(volume.layout.places() / name);
  std::map<std::string, std::set<std::string>, std::less<>> written;  // by job
  for (const MadeCheckpoint& each : made)
    if (!each.doubtful) written[each.job_uid].insert(place_of(each));
  const auto read = volume.lost_texts->read_all(volume.files, files, [&](std::size_t, const auto& text) {
    // A file that says nothing proves nothing: the checkpoint that it may have told of stays where it is.
    if (const auto place = text ? decode_place(*text) : std::nullopt)
      for (const Ranks ranks : {Ranks::Together, Ranks::Apart})
        written[place->job_uid].insert(place_of(place->name, ranks));
  });
  if (!read) return read;
  for (MadeCheckpoint& each : made)
    if (each.doubtful && written[each.job_uid].contains(place_of(each))) each.doubtful = false;
  return {};
}

}  // namespace reprise::agent
