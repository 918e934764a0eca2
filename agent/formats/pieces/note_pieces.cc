#include "agent/formats/pieces/note_pieces.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/pieces/ends_of_files.h"
#include "agent/formats/pieces/pieces_of_saves.h"
#include "agent/formats/verify/lost_bytes.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {
namespace {

using runtime::ErrorClass;
using runtime::Result;
using Path = std::filesystem::path;

constexpr std::size_t kHeadOfPiece = 64;

// A file that may not be read tells nothing.
Result<void> judge_bytes(const VolumeFiles& files, const Path& root, LooseFile& piece) {
  const CheckedFile file{.files = files, .path = root / piece.path, .name = piece.path, .size = piece.info.size};
  const auto flaw = check_its_end(file);
  if (flaw) {
    piece.is_torn = flaw->has_value();
    if (piece.is_torn || piece.info.size == 0) return {};
    const auto head = file.bytes(0, kHeadOfPiece);
    piece.tells_its_end = head && shows_its_end(file, *head);
    return {};
  }
  if (flaw.error().error_class == ErrorClass::Forbidden) return {};
  piece.is_torn = flaw.error().error_class == ErrorClass::NotFound || says_lost(flaw.error());
  return piece.is_torn ? Result<void>() : std::unexpected(flaw.error());
}

bool is_in_any_of(std::string_view path, const std::set<std::string_view>& checkpoints) {
  for (std::string_view place = path; !place.empty(); place = directory_of(place))
    if (checkpoints.contains(place)) return true;
  return false;
}

struct SavesFound {
  std::vector<SavedAt> whole{};
  std::vector<FoundCheckpoint*> found{};          // of each of them
  std::set<std::int64_t> steps{};                 // of the whole ones
  std::set<std::string_view> paths{};             // the same
  std::int64_t newest_step = 0, recent_from = 0;  // the last two whole ones, and what comes behind them
};

SavesFound saves_among(std::vector<FoundCheckpoint>& found) {
  SavesFound saves;
  for (FoundCheckpoint& each : found) {
    if (!each.judgement.flaw) saves.paths.insert(each.path);
    const auto step = read_save_name(each.path).likely;
    if (!step) continue;
    saves.newest_step = std::max(saves.newest_step, *step);
    if (each.judgement.flaw) continue;
    saves.whole.push_back({.path = each.path, .step = *step, .completed = each.judgement.completed});
    saves.found.push_back(&each);
    saves.steps.insert(*step);
  }
  if (saves.steps.size() > 1) saves.recent_from = *std::next(saves.steps.rbegin());
  return saves;
}

using NamesByPlace = std::map<std::string, std::vector<std::string>>;  // by directory
using Chosen = std::map<std::string, std::int64_t>;                    // by path, the step

std::string path_of_piece(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : directory + "/" + name;
}

constexpr std::int64_t kOfNoSave = -1;  // that is there: it does not change

struct ChosenKind {
  std::size_t place = 0;  // of the number that is the step
  std::set<std::int64_t> ahead{};
};

// Numbered beyond all saves by more than one: data (pieces_of_saves.h).
void leave_out_data(Chosen& chosen, const std::map<std::string, ChosenKind>& kinds,
                    const std::set<std::string>& expected) {
  std::erase_if(chosen, [&](const auto& each) {
    const auto kind = kinds.find(naming_of(each.first));
    return kind != kinds.end() && kind->second.ahead.size() > 1 && !expected.contains(kind->first);
  });
}

// What bears the number of a save, and whatever else is of the same kind: files of saves that are gone, or are to come.
Chosen choose(const NamesByPlace& names, const SavesFound& saves, const std::set<std::string>& expected) {
  Chosen chosen;
  const auto by_epoch = steps_by_epoch(saves.whole);
  std::map<std::string, ChosenKind> kinds;
  std::set<std::string> places;
  for (const auto& [directory, files] : names) {
    if (is_in_any_of(directory, saves.paths)) continue;
    for (const std::string& name : files) {
      std::string path = path_of_piece(directory, name);
      const auto numbers = numbers_of_piece(path, saves.steps, by_epoch);
      const auto place = place_of_step(numbers, saves.steps);
      if (!place || !may_be_piece(path)) continue;
      kinds.try_emplace(naming_of(path), ChosenKind{.place = *place});
      places.insert(naming_of(directory));
      chosen.emplace(std::move(path), numbers[*place].value);
    }
  }
  for (const auto& [directory, files] : names) {
    if (!places.contains(naming_of(directory)) || is_in_any_of(directory, saves.paths)) continue;
    for (const std::string& name : files) {
      std::string path = path_of_piece(directory, name);
      const auto kind = kinds.find(naming_of(path));
      if (kind == kinds.end() || !may_be_piece(path)) continue;
      const auto numbers = numbers_of_piece(path, saves.steps, by_epoch);
      const std::int64_t number = kind->second.place < numbers.size() ? numbers[kind->second.place].value : 0;
      if (number > saves.newest_step) kind->second.ahead.insert(number);
      chosen.try_emplace(std::move(path), kOfNoSave);
    }
  }
  if (chosen.size() > kMostPieces) leave_out_data(chosen, kinds, expected);
  return chosen;
}

// By the volume's clock, as are the times of all files; nothing: it was never asked to begin from scratch.
std::optional<runtime::WallTime> when_it_began(const VolumeFiles& files, const Path& root) {
  const auto info = files.look(VolumeLayout{.root = root}.began_anew(), Links::Stay);
  return info && *info ? std::optional((*info)->modified) : std::nullopt;
}

std::set<std::int64_t> steps_before(runtime::WallTime time, const std::vector<SavedAt>& saves) {
  std::set<std::int64_t> steps;
  for (const SavedAt& each : saves)
    if (each.completed < time) steps.insert(each.step);
  return steps;
}

}  // namespace

Result<LooseFile> judge_piece(const VolumeFiles& files, const Path& root, const std::string& path,
                              const JudgedPieces& before, bool is_recent) {
  const auto known = before.find(path);
  if (known != before.end() && !is_recent) return known->second;
  const auto info = files.look(root / path, Links::Follow);
  LooseFile piece{.path = path};
  if (!info && info.error().error_class == ErrorClass::Forbidden) return piece;
  if (!info && !says_lost(info.error())) return std::unexpected(info.error());
  if (!info || !*info || (*info)->kind != FileInfo::Kind::File) {
    piece.is_torn = true;
    return piece;
  }
  piece.info = **info;
  if (piece.info.size == 0) {
    piece.is_torn = true;
    return piece;
  }
  const bool is_same = known != before.end() && known->second.info.modified == piece.info.modified &&
                       known->second.info.size == piece.info.size && !known->second.is_torn;
  if (is_same) return known->second;
  if (!may_show_its_end(path)) return piece;
  if (auto judged = judge_bytes(files, root, piece); !judged) return std::unexpected(judged.error());
  return piece;
}

Result<std::size_t> note_pieces(const VolumeFiles& files, const Path& root,
                                const std::map<std::string, std::vector<std::string>>& names,
                                std::vector<FoundCheckpoint>& found, JudgedPieces& judged, BegunByNumber& begun,
                                const std::set<std::string>& expected) {
  const auto began = names.empty() ? std::nullopt : when_it_began(files, root);
  const SavesFound saves = saves_among(found);
  const Chosen chosen = saves.steps.empty() ? Chosen() : choose(names, saves, expected);
  if (chosen.size() > kMostPieces) {
    judged.clear();
    return chosen.size();
  }
  const auto older = began ? steps_before(*began, saves.whole) : std::set<std::int64_t>();
  // A save that is older itself shows that the clock was set back since, and nothing of its pieces.
  const auto is_of_former = [&](const LooseFile& piece, std::int64_t step) {
    return began && piece.info.modified < *began && !older.contains(step);
  };
  std::vector<LooseFile> loose;
  JudgedPieces now;
  for (const auto& [path, step] : chosen) {
    auto piece = judge_piece(files, root, path, judged, step >= saves.recent_from);
    if (!piece) return std::unexpected(piece.error());
    now.emplace(path, *piece);
    if (!is_of_former(*piece, step)) loose.push_back(*std::move(piece));
  }
  judged = std::move(now);
  if (!loose.empty()) read_begun(files, root, begun);
  BegunAttempts attempts;
  for (const auto& [number, attempt] : begun) attempts.push_back(attempt);
  const auto pieces = pieces_of_saves(saves.whole, loose, saves.newest_step, expected, attempts);
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    HeldPieces& of = saves.found[at]->judgement.pieces;
    of.for_keep.insert(of.for_keep.end(), pieces[at].for_keep.begin(), pieces[at].for_keep.end());
    of.for_resume.insert(of.for_resume.end(), pieces[at].for_resume.begin(), pieces[at].for_resume.end());
    of.torn.insert(pieces[at].torn.begin(), pieces[at].torn.end());
  }
  return 0;
}

}  // namespace reprise::agent
